/** The operations of a service in this very process: what the admin routes and the CLI stand on. */

import type { AccountDetails } from '@svc/contracts/admin/accounts'
import type { Caller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import { ServiceError } from '@svc/contracts/errors'
import { isId } from '@svc/contracts/ids'
import {
  formatExact,
  type PicoDollars,
  parseDollars,
  parsePricePerMillion,
} from '@svc/contracts/money'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { Clock } from '@svc/contracts/ports/time'
import { resolveModel } from '@svc/contracts/wire/models'
import type { LogWitness } from '@svc/infra/event-store/log-witnesses'
import type { Ledger } from '@svc/ledger/ledger'
import type { Projections } from '@svc/projections/open-projections'
import { receiptOf } from '@svc/projections/receipt'
import type { ProjectionStatus } from '@svc/projections/views'
import { type WorkerPorts, workerOperations } from '../workers/worker-operations.ts'
import {
  accountSummary,
  grantDetails,
  keyDetails,
  priceDetails,
  projectionState,
  statementEntry,
} from './details.ts'
import { listEvents, tailEvents } from './event-queries.ts'
import { withParsedInput } from './parsed-input.ts'
import { rebuildLines } from './rebuild-lines.ts'
import { readOptionalTime, readTime, timeText } from './rfc3339-times.ts'
import { unpricedModels } from './unpriced-models.ts'
import { verifyLines } from './verify-lines.ts'

/** Of a tail that its reader ends by leaving it. */
const never = new AbortController().signal
/** How long an answer waits for the views to have all that is in the log: in a running server … */
const VIEWS_TIMEOUT_MS = 10_000
/** … and in a folder just opened, whose views may have to be built first. */
const VIEWS_BUILD_TIMEOUT_MS = 600_000

export interface ServiceInformation {
  readonly version: string
  readonly mode: ServiceStatus['mode']
  /** Null for a service that is stopped. */
  readonly baseUrl: string | null
  readonly dataDir: string
  /** `sqlite`, `memory` … */
  readonly storeKind: string
}

export interface LocalOperations extends WorkerPorts {
  readonly ledger: Ledger
  readonly projections: Projections
  readonly store: EventStore
  /** Shared by everything of this process that takes long. */
  readonly pace: Pace
  readonly clock: Clock
  /** What is remembered of the log outside of it. */
  readonly memory?: { witnesses(): Iterable<LogWitness> }
  readonly information: ServiceInformation
}

/** @param caller for whom they are carried out: every event they cause names it */
export function createLocalOperations(ports: LocalOperations, caller: Caller): Operations {
  const { projections, store, pace, memory, information } = ports
  return withParsedInput({
    ...accountOperations(ports, caller),
    ...keyOperations(ports, caller),
    ...priceOperations(ports, caller),
    ...billOperations(ports),
    ...workerOperations(ports),
    status: () => statusOf(ports),
    verify: (input) => {
      const densePositions = information.storeKind === 'sqlite'
      const witnesses = () => memory?.witnesses() ?? []
      return verifyLines({ store, pace, witnesses, densePositions }, input)
    },
    listProjections: async () => (await projections.status()).map(projectionState),
    rebuildProjection: ({ name }) => rebuildLines(projections, name),
    listEvents: (query) => listEvents(ports, query),
    tailEvents: (query = {}, signal = never) => tailEvents(ports, query, signal),
  })
}

function accountOperations(
  ports: LocalOperations,
  { actor }: Caller,
): Pick<Operations, 'openAccount' | 'listAccounts' | 'showAccount' | 'grant'> {
  const { ledger, projections, pace } = ports
  return {
    async openAccount({ name, spend_policy: spendPolicy }) {
      return { account_id: await ledger.openAccount({ name, spendPolicy, actor }) }
    },
    async listAccounts({ after, limit }) {
      await viewsCurrent(ports, 'accounts')
      const page = after === undefined ? { limit } : { after, limit }
      return pace.step(() => projections.views.accounts(page).map(accountSummary))
    },
    showAccount: ({ account_id: accountId }) => accountDetails(ports, accountId),
    async grant({ account_id: accountId, amount, expires_at: expiresAt, reason, ...grant }) {
      checkAccountId(accountId)
      const grantId = await ledger.grant(accountId, {
        ...grant,
        reason,
        amount: readAmount(amount),
        expiresAt: readOptionalTime(expiresAt, 'expires_at'),
        actor,
      })
      return { grant_id: grantId }
    },
  }
}

function keyOperations(
  { ledger, clock }: LocalOperations,
  { actor }: Caller,
): Pick<Operations, 'createKey' | 'listKeys' | 'revokeKey'> {
  return {
    async createKey({ account_id: accountId, name, expires_at: expiresAt }) {
      checkAccountId(accountId)
      const expiry = readOptionalTime(expiresAt, 'expires_at')
      const { keyId, secret } = await ledger.createKey(accountId, {
        name,
        ...(expiry === null ? {} : { expiresAt: expiry }),
        actor,
      })
      return { key_id: keyId, secret }
    },
    async listKeys({ account_id: accountId }) {
      checkAccountId(accountId)
      const { keys } = await ledger.account(accountId)
      const nowMs = clock.nowMs()
      return keys.map((key) => keyDetails(key, nowMs))
    },
    async revokeKey({ account_id: accountId, key_id: keyId, reason }) {
      checkAccountId(accountId)
      const revoked = await ledger.revokeKey(accountId, keyId, reason, actor)
      const { revokedAt, alreadyRevoked } = revoked
      return {
        key_id: keyId,
        revoked_at: timeText(revokedAt),
        already_revoked: alreadyRevoked,
      }
    },
  }
}

function priceOperations(
  { ledger }: LocalOperations,
  { actor }: Caller,
): Pick<Operations, 'publishPrice' | 'listPrices'> {
  return {
    async publishPrice({ model, effective_from: effectiveFrom, ...rates }) {
      const from = readOptionalTime(effectiveFrom, 'effective_from')
      const price = await ledger.publishPrice({
        model: readModel(model),
        rates: {
          input: readPrice(rates.input, 'input'),
          cachedInput: readPrice(rates.cached_input, 'cached_input'),
          output: readPrice(rates.output, 'output'),
        },
        ...(from === null ? {} : { effectiveFrom: from }),
        actor,
      })
      return priceDetails(price)
    },
    listPrices: async () => ledger.prices().map(priceDetails),
  }
}

function billOperations(ports: LocalOperations): Pick<Operations, 'statement' | 'explain'> {
  const { pace } = ports
  const { views } = ports.projections
  return {
    async statement({ account_id: accountId, from, to, after, limit }) {
      checkAccountId(accountId)
      await Promise.all([viewsCurrent(ports, 'statement'), viewsCurrent(ports, 'accounts')])
      if (views.account(accountId) === undefined) throw noSuch('account', accountId)
      const query = {
        accountId,
        limit,
        ...(from === undefined ? {} : { from: readTime(from, 'from') }),
        ...(to === undefined ? {} : { to: readTime(to, 'to') }),
        ...(after === undefined ? {} : { after }),
      }
      // An export asks for page after page.
      const statement = await pace.step(() => views.statement(query))
      return {
        account_id: accountId,
        opening: formatExact(statement.opening),
        closing: formatExact(statement.closing),
        rows: await pace.step(() => statement.rows.map(statementEntry)),
        more: statement.more,
      }
    },
    async explain({ request_id: requestId }) {
      await viewsCurrent(ports, 'requests')
      const row = await views.request(requestId)
      if (row === undefined) throw noSuch('request', requestId)
      return { ...receiptOf(row), account_id: row.accountId }
    },
  }
}

async function statusOf(ports: LocalOperations): Promise<ServiceStatus> {
  const { ledger, projections, store, information, workers = () => [] } = ports
  const { version, mode, baseUrl, dataDir, storeKind } = information
  // A folder just opened has views that are about to follow; a server shows them as they are.
  if (mode === 'stopped') await viewsCurrent(ports, 'accounts')
  const position = await store.lastPosition()
  const lines = (await projections.status()).map(projectionState)
  // Read last, so that they hold whatever the positions say that the views have.
  const totals = projections.views.accountTotals()
  return {
    version,
    mode,
    base_url: baseUrl,
    data_dir: dataDir,
    store: { kind: storeKind, position: `${position}` },
    projections: lines,
    workers: workers(),
    unpriced_models: unpricedModels(ledger, workers()),
    accounts: totals.accounts,
    open_requests: totals.openRequests,
  }
}

/**
 * Balance, keys and grants come from the ledger itself; the view adds only when things happened.
 */
async function accountDetails(ports: LocalOperations, accountId: string): Promise<AccountDetails> {
  checkAccountId(accountId)
  const { keys, grants, balance, openRequests, spendPolicy } = await ports.ledger.account(accountId)
  await viewsCurrent(ports, 'accounts')
  const row = ports.projections.views.account(accountId)
  if (row === undefined) throw noSuch('account', accountId)
  const nowMs = ports.clock.nowMs()
  return {
    ...accountSummary({ ...row, ...balance, openRequests, spendPolicy }),
    keys: keys.map((key) => keyDetails(key, nowMs)),
    grants: grants.map(grantDetails),
  }
}

/**
 * Waits until a view has all that is in the log now: an operator's question is never answered
 * stale.
 */
async function viewsCurrent(
  { projections, store, information }: LocalOperations,
  name: ProjectionStatus['name'],
): Promise<void> {
  const head = await store.lastPosition()
  const timeoutMs = information.mode === 'stopped' ? VIEWS_BUILD_TIMEOUT_MS : VIEWS_TIMEOUT_MS
  if (await projections.reached(head, timeoutMs, name)) return
  const status = (await projections.status()).find((view) => view.name === name)
  const why = status?.error ?? `it stands at position ${status?.position}, and the log at ${head}`
  throw new ServiceError('view_behind', `The view "${name}" is behind the event log: ${why}`, {
    retryAfterSeconds: 1,
  })
}

function checkAccountId(accountId: string): void {
  if (!isId('acct', accountId)) throw noSuch('account', accountId)
}

function noSuch(what: string, id: string): ServiceError {
  return new ServiceError('not_found', `There is no ${what} ${id}.`)
}

function readAmount(text: string): PicoDollars {
  const amount = readMoney(text, 'amount', parseDollars)
  if (amount > 0n) return amount
  throw new ServiceError('invalid_value', 'amount: must be above zero', { param: 'amount' })
}

function readPrice(text: string, param: string): PicoDollars {
  return readMoney(text, param, parsePricePerMillion)
}

function readMoney(text: string, param: string, read: (text: string) => PicoDollars): PicoDollars {
  try {
    return read(text)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new ServiceError('invalid_value', `${param}: ${cause.message}`, { param, cause })
  }
}

function readModel(name: string): string {
  const model = resolveModel(name)
  if (model !== undefined) return model
  throw new ServiceError('invalid_value', `model: there is no model "${name}"`, { param: 'model' })
}
