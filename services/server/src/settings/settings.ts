/**
 * Everything that can be set, in one schema: environment variables named `SVC_…`, each with a flag
 * of `svc start` where it is set often. `EVENTSTORE_URL`, `REDIS_URL` and `KAFKA_BROKERS` have the
 * names that other programs know too. What becomes of other names that begin with `SVC_` says
 * `setting-names.ts`.
 */

import { isSignerKey } from '@svc/contracts/evidence/signed-note'
import { isWorkerUrl, WORKER_URL_FORM } from '@svc/contracts/worker/address'
import { defaultLedgerHealthBounds } from '@svc/gateway/routes/ledger-health'
import {
  BYTES_MAX,
  listenHost,
  oneOf,
  secret,
  text,
  whole,
  workerVariables,
} from '@svc/worker/settings/worker-variables'
import { z } from 'zod'
import { DEFAULT_DATA_DIR } from '../data-folder/data-folder.ts'
import { readAdminAddress } from './admin-address.ts'
import { dashboardVariables } from './dashboard-settings.ts'
import { feedProblem, feedVariables } from './feed-settings.ts'
import { initialPriceProblem, initialPriceVariables } from './initial-price.ts'
import { logSchema } from './log-location.ts'
import { parsedBy, SettingsError } from './parsed-settings.ts'
import {
  isAddressOrNetwork,
  isOrigin,
  ORIGINS_FORM,
  PROXIES_FORM,
  PUBLIC_URL_FORM,
  readPublicUrl,
} from './public-address.ts'
import { type Environment, type ForeignVariable, sortVariables } from './setting-names.ts'
import { signInProblem, signInVariables } from './sign-in-settings.ts'
import { readTenantWeights } from './tenant-weights.ts'
import { viewsProblem, viewsVariables } from './views-settings.ts'

const DAY_MS = 86_400_000
const WORKERS_MAX = 64
const PROXIES_MAX = 256
const ORIGINS_MAX = 256
const partsOf = (text: string) => text.split(',').map((part) => part.trim())
const list = z.string().transform(partsOf)
const listOrNone = z.string().transform((text) => (text === '' ? [] : partsOf(text)))

const publicUrl = z.string().transform((text, context) => {
  if (text === '') return undefined
  const url = readPublicUrl(text)
  if (url !== undefined) return url
  context.addIssue({ code: 'custom', message: PUBLIC_URL_FORM })
  return z.NEVER
})

const proxies = listOrNone.pipe(
  z.array(z.string().refine(isAddressOrNetwork, PROXIES_FORM)).max(PROXIES_MAX),
)

const origins = listOrNone.pipe(z.array(z.string().refine(isOrigin, ORIGINS_FORM)).max(ORIGINS_MAX))

const tenantWeights = z.string().transform((text, context) => {
  const read = readTenantWeights(text)
  if ('weights' in read) return read.weights
  context.addIssue({ code: 'custom', message: read.problem })
  return z.NEVER
})

const evidenceKey = z.string().refine(isSignerKey, 'must be a signer key: PRIVATE+KEY+name+…')

const adminAddress = z.string().transform((text, context) => {
  const address = readAdminAddress(text)
  if (address !== undefined) return address
  context.addIssue({ code: 'custom', message: 'must be such as 127.0.0.1:9091 or [::1]:9091' })
  return z.NEVER
})

const schema = logSchema.extend({
  SVC_DATA_DIR: text.default(DEFAULT_DATA_DIR),
  /** Where backups are written; by default in the folder `backups` of the data folder. */
  SVC_BACKUP_DIR: text.optional(),
  /** What a first start makes: an account, credit and a key to try the service with, or nothing. */
  SVC_FIRST_RUN: oneOf(['demo', 'empty']).default('demo'),
  /** The price that it publishes for whatever model is served. All three or none. */
  ...initialPriceVariables,
  ...dashboardVariables,
  ...signInVariables,
  ...feedVariables,
  ...viewsVariables,
  SVC_HOST: listenHost.default('127.0.0.1'),
  /** How clients reach the server where something stands in front of it. An empty one is none. */
  SVC_PUBLIC_URL: publicUrl.optional(),
  /** Whether prices are shown to those who have no key. */
  SVC_PUBLIC_PRICES: oneOf(['on', 'off']).default('on'),
  /** Whose `X-Forwarded-Proto` and `X-Forwarded-Host` are believed, comma-separated. */
  SVC_TRUSTED_PROXIES: proxies.optional(),
  /** Origins whose pages may call the API from a browser, comma-separated, or `*`. */
  SVC_CORS_ORIGINS: origins.optional(),
  /** 0 takes any free port. */
  SVC_PORT: whole(0, 65_535).default(8080),
  /** `host:port` of the operator's API; by default on loopback, see `admin-address.ts`. */
  SVC_ADMIN_ADDRESS: adminAddress.optional(),
  SVC_LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('warn'),
  /** Which inference requests leave a line in the log; `errors`: those refused or failed. */
  SVC_REQUEST_LOG: oneOf(['all', 'errors', 'off']).default('errors'),
  /** The settings of the workers that are started here. Gateways read what is said of Redis too. */
  ...workerVariables,
  /**
   * Workers that run elsewhere, comma-separated: `http://host:port` or `unix:/path/to/socket`. Then
   * none is started here.
   */
  SVC_WORKER_URLS: list.pipe(z.array(z.string().refine(isWorkerUrl, WORKER_URL_FORM))).optional(),
  /** Shared with the workers of `SVC_WORKER_URLS`. */
  SVC_WORKER_SECRET: secret.optional(),
  /** Workers of `SVC_MODEL` that are started here. */
  SVC_WORKERS: whole(1, WORKERS_MAX).default(1),
  /** Models that are loaded and stand aside, comma-separated: a worker each. */
  SVC_STANDBY_MODELS: list
    .pipe(
      z
        .array(z.string().min(1, 'must be models, separated by commas'))
        .max(WORKERS_MAX, `must be ${WORKERS_MAX} models at most`),
    )
    .optional(),
  /** Seals what clients of the Responses format carry; made and kept in the data folder too. */
  SVC_CONTENT_SECRET: secret.optional(),
  /** Signs checkpoints of the log; made and kept in the data folder too. */
  SVC_EVIDENCE_KEY: evidenceKey.optional(),
  /** Turns in the workers' queues, such as `acct_…=4,acct_…=2`; an account without one has 1. */
  SVC_TENANT_WEIGHTS: tenantWeights.optional(),
  /** `/readyz`: how long the event log may take to answer, and a view may be behind it. */
  SVC_READY_STORE_MS: whole(100, 60_000).default(defaultLedgerHealthBounds.storeAnswerMs),
  SVC_READY_VIEW_LAG_MS: whole(0, DAY_MS).default(defaultLedgerHealthBounds.viewLagMs),
  /** How long a stop serves on, and is not ready: so a balancer hears of it before it begins. */
  SVC_SHUTDOWN_NOTICE_MS: whole(0, 600_000).default(0),
  /** How long a stop waits for running requests. */
  SVC_SHUTDOWN_GRACE_MS: whole(0, 600_000).default(30_000),
  /** Output tokens of a request that names no limit. */
  SVC_DEFAULT_MAX_OUTPUT_TOKENS: whole(1, 1_000_000).optional(),
  SVC_MAX_BODY_BYTES: whole(1024, 64 * 1024 * 1024).optional(),
  SVC_MAX_HEADER_BYTES: whole(1024, 1024 * 1024).optional(),
  SVC_MAX_HEADERS: whole(8, 2000).optional(),
  SVC_MAX_URL_BYTES: whole(128, 65_536).optional(),
  SVC_MAX_JSON_DEPTH: whole(4, 1000).optional(),
  SVC_HEADERS_TIMEOUT_MS: whole(100, DAY_MS).optional(),
  SVC_REQUEST_TIMEOUT_MS: whole(100, DAY_MS).optional(),
  SVC_KEEP_ALIVE_MS: whole(100, DAY_MS).optional(),
  SVC_WRITE_STALL_MS: whole(100, DAY_MS).optional(),
  SVC_STREAM_KEEP_ALIVE_MS: whole(100, DAY_MS).optional(),
  SVC_CANCEL_WAIT_MS: whole(100, DAY_MS).optional(),
  SVC_MAX_REQUESTS_PER_SOCKET: whole(1, 1_000_000).optional(),
  SVC_MAX_SOCKETS: whole(1, 100_000).optional(),
  /** The longest that one request may run. */
  SVC_REQUEST_DEADLINE_MS: whole(1000, DAY_MS).optional(),
  /** How long after its deadline the end of a request may take to be written. */
  SVC_SETTLING_ALLOWANCE_MS: whole(1000, DAY_MS).optional(),
  SVC_MAX_REQUESTS_PER_KEY: whole(1, 100_000).optional(),
  SVC_MAX_REQUESTS_PER_ACCOUNT: whole(1, 100_000).optional(),
  SVC_MAX_REQUESTS: whole(1, 100_000).optional(),
  /** Requests without a body that one account has answered at once. */
  SVC_MAX_READS_PER_ACCOUNT: whole(1, 100_000).optional(),
  /** Reads of one account in a second; 0 sets no limit. */
  SVC_MAX_READS_PER_SECOND: whole(0, 100_000_000).optional(),
  /** Requests beyond these that wait for their turn: of one account, of all, and how long. */
  SVC_MAX_WAITING_PER_ACCOUNT: whole(0, 100_000).optional(),
  SVC_MAX_WAITING: whole(0, 100_000).optional(),
  SVC_MAX_WAIT_MS: whole(100, DAY_MS).optional(),
  /** Requests in a minute; 0 sets no limit. */
  SVC_RATE_PER_KEY: whole(0, 100_000_000).optional(),
  SVC_RATE_PER_ACCOUNT: whole(0, 100_000_000).optional(),
  SVC_RATE_PER_ADDRESS: whole(0, 100_000_000).optional(),
  /** Wrong keys from one address in a minute. */
  SVC_MAX_BAD_KEYS: whole(1, 100_000_000).optional(),
  /** Refusals that one account, or one address without a key, is sent at once in a second. */
  SVC_MAX_REFUSALS: whole(1, 100_000_000).optional(),
  /** How long each refusal beyond them waits; 0 sets no pause. */
  SVC_REFUSAL_PAUSE_MS: whole(0, 60_000).optional(),
  SVC_MAX_SOCKETS_PER_ADDRESS: whole(1, 100_000).optional(),
  /**
   * New sockets of one address in a second, once many of it were served nothing; 0 sets no limit.
   */
  SVC_MAX_NEW_SOCKETS_PER_SECOND: whole(0, 100_000).optional(),
  SVC_DISPLACED_SOCKET_MS: whole(0, 60_000).optional(),
  /** Prompts that are rendered, counted and compiled at once. */
  SVC_MAX_PREPARATIONS_PER_ACCOUNT: whole(1, 100_000).optional(),
  SVC_MAX_PREPARATIONS: whole(1, 100_000).optional(),
  /** The largest body of a caller without credit. */
  SVC_MAX_UNPAID_BODY_BYTES: whole(1024, 64 * 1024 * 1024).optional(),
  /** Bodies up to here count towards no budget. */
  SVC_SMALL_BODY_BYTES: whole(1024, 64 * 1024 * 1024).optional(),
  SVC_MAX_BODY_BYTES_PER_ACCOUNT: whole(1024, BYTES_MAX).optional(),
  SVC_MAX_BODY_BYTES_IN_FLIGHT: whole(1024, BYTES_MAX).optional(),
  SVC_MAX_BODY_BYTES_PER_SECOND: whole(0, BYTES_MAX).optional(),
  /** Ends the process at a named place, for the kill test only. */
  SVC_CRASH_POINT: z.string().optional(),
  /** The CLI sends this with `--url`. The server keeps its own token in the data folder. */
  SVC_OPERATOR_TOKEN: z.string().optional(),
})

export type Settings = z.output<typeof schema>
export type SettingName = keyof typeof schema.shape

/** Names of all settings, for the reference page. */
export const settingNames = Object.keys(schema.shape) as SettingName[]

/**
 * @param environment such as `process.env`; other names that do not begin with `SVC_` are not
 *   looked at
 * @throws {SettingsError} naming the first setting that is misspelt or cannot be used
 */
export function readSettings(environment: Environment): Settings {
  const { settings, misspelt } = sortVariables(environment, settingNames)
  const [first] = misspelt
  if (first !== undefined) {
    throw new SettingsError(
      `${first.name} is not a setting of svc: did you mean ${first.meant}? ` +
        'All of them are in docs/reference/configuration.md',
    )
  }
  const read = parsedBy(schema, settings)
  const problem =
    initialPriceProblem(read) ?? signInProblem(read) ?? feedProblem(read) ?? viewsProblem(read)
  if (problem !== undefined) throw new SettingsError(problem)
  return read
}

/** Variables that are named as settings are, and are ignored. */
export function foreignVariables(environment: Environment): readonly ForeignVariable[] {
  return sortVariables(environment, settingNames).foreign
}

export function warnOfForeignVariables(
  environment: Environment,
  warn: (warning: string) => void,
): void {
  for (const { name, meant } of foreignVariables(environment)) {
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    warn(`${name} is not a setting of svc and is ignored${hint}`)
  }
}

/**
 * Reads the log level for what runs apart from a server.
 *
 * @throws {SettingsError} also when a setting is misspelt
 */
export function logLevelOf(environment: Environment): Settings['SVC_LOG_LEVEL'] {
  return readSettings(environment).SVC_LOG_LEVEL
}
