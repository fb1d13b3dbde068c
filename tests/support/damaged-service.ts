/**
 * A whole service in this process for the tests of damage: one account that will be damaged, ten
 * others, and what each of them must go on to see.
 */
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { openDataFolder } from '@svc/server/open-data-folder'
import { type RunningServer, startServer } from '@svc/server/roles/all'
import { logLocationOf } from '@svc/server/settings/log-location'
import { readSettings } from '@svc/server/settings/settings'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { EventStoreDbDouble } from './eventstoredb/eventstoredb-double.ts'
import { secretOf } from './made-key.ts'
import { ScriptedWorker } from './scripted-worker/scripted-worker.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const OTHERS = 10
export const PREFIX = 'damage.'
const GRACE_MS = 5_000

export type StoreKind = 'sqlite' | 'eventstoredb'

export interface Customer {
  readonly accountId: string
  readonly key: string
}

export interface Service {
  readonly server: RunningServer
  readonly operations: Operations
  /** As Prometheus reads them. */
  metrics(): Promise<string>
  stop(): Promise<void>
}

/** What is told of the accounts that are not damaged. */
export interface Books {
  readonly statements: readonly unknown[]
  readonly month: readonly unknown[]
}

export class DamagedService {
  readonly dataDir = join(temporaryFolder(), 'data')
  readonly double: EventStoreDbDouble | undefined
  /** Lines of the servers' logs that are warnings or worse. */
  readonly lines: string[] = []
  readonly #environment: Readonly<Record<string, string>>

  private constructor(socketPath: string, double: EventStoreDbDouble | undefined) {
    this.double = double
    this.#environment = {
      SVC_DATA_DIR: this.dataDir,
      SVC_PORT: '0',
      SVC_WORKER_URLS: `unix:${socketPath}`,
      SVC_DASHBOARD: 'off',
      ...(double === undefined
        ? {}
        : { EVENTSTORE_URL: double.url, SVC_EVENTSTORE_PREFIX: PREFIX }),
    }
  }

  /** @param store where its events are */
  static async open(store: StoreKind): Promise<DamagedService> {
    const socketPath = join(temporaryFolder(), 'worker.sock')
    const worker = new ScriptedWorker({ socketPath }, false)
    await worker.listen()
    const double = store === 'eventstoredb' ? await EventStoreDbDouble.start() : undefined
    onTestFinished(async () => {
      await worker.close()
      await double?.close()
    })
    return new DamagedService(socketPath, double)
  }

  get ledgerFile(): string {
    return new DataFolder(this.dataDir).ledgerFile
  }

  async start(acceptNewStore = false): Promise<Service> {
    const settings = readSettings(this.#environment)
    const logger = pino({ level: 'warn', base: null }, { write: (line) => this.lines.push(line) })
    const server = await startServer(settings, { logger, acceptNewStore })
    let isStopped = false
    const stop = async (): Promise<void> => {
      if (!isStopped) await server.stop(GRACE_MS)
      isStopped = true
    }
    onTestFinished(stop)
    const { operatorToken } = new DataFolder(this.dataDir).secrets()
    const signal = new AbortController().signal
    const { baseUrl } = server.ready
    const operations = createRemoteOperations({ baseUrl, operatorToken, signal })
    const metrics = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${operatorToken}` }
      return (await fetch(`${baseUrl}/admin/v1/metrics`, { headers })).text()
    }
    return { server, operations, metrics, stop }
  }

  /** As the CLI works on the folder of a stopped server. */
  async withFolder<Result>(work: (operations: Operations) => Promise<Result>): Promise<Result> {
    const place = logLocationOf(readSettings(this.#environment))
    const folder = await openDataFolder(this.dataDir, { place })
    try {
      return await work(folder.operations)
    } finally {
      await folder.close()
    }
  }
}

export async function openCustomers({ operations }: Service, count: number): Promise<Customer[]> {
  const grant = { category: 'paid', priority: 0, expires_at: null, reason: 'test' } as const
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const opened = await operations.openAccount({ name: `c${index}`, spend_policy: 'standard' })
      const { account_id } = opened
      await operations.grant({ account_id, amount: '10', reference: `pay-${index}`, ...grant })
      const key = await operations.createKey({ account_id, name: 'k', expires_at: null })
      return { accountId: account_id, key: secretOf(key) }
    }),
  )
}

const said = [{ role: 'user', content: 'Hi' }]
const bodies = {
  '/v1/chat/completions': { model: 'svc-beta', max_tokens: 8, messages: said },
  '/v1/responses': { model: 'svc-beta', max_output_tokens: 16, input: 'Hi' },
  '/v1/messages': { model: 'svc-beta', max_tokens: 8, messages: said },
} as const

/** In each wire format. @returns status and code of each answer */
export function askInEachFormat({ server }: Service, key: string) {
  return Promise.all(
    Object.entries(bodies).map(async ([path, body]) => {
      const answer = await post(`${server.ready.baseUrl}${path}`, key, body)
      const { error, code } = (await answer.json()) as {
        error?: { code?: string; type?: string; message?: string }
        code?: string
      }
      return { path, status: answer.status, error, code: error?.code ?? code }
    }),
  )
}

/** @throws when it is refused */
export async function pay({ server }: Service, { key }: Customer): Promise<void> {
  const path = '/v1/chat/completions'
  const answer = await post(server.ready.baseUrl + path, key, bodies[path])
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`)
}

export async function balanceOf({ server }: Service, key: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${server.ready.baseUrl}/v1/balance`, { headers })
  return answer.json()
}

function post(url: string, key: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

export async function booksOf(
  operations: Operations,
  customers: readonly Customer[],
): Promise<Books> {
  const statements = await Promise.all(
    customers.map(({ accountId }) =>
      operations.statement({ account_id: accountId, limit: 100 }).then(({ rows }) => rows),
    ),
  )
  const month = new Date().toISOString().slice(0, 7)
  const report = await operations.month({ month, zone: 'UTC' })
  const ids = new Set(customers.map(({ accountId }) => accountId))
  return {
    statements,
    month: report.customers.filter(({ account_id: accountId }) => ids.has(accountId)),
  }
}

/** The last line: the result. */
export async function verified(operations: Operations) {
  for await (const line of operations.verify({})) if (line.type === 'result') return line
  throw new Error('the verification has no result')
}

export async function rebuildAll(operations: Operations): Promise<void> {
  for (const { name } of await operations.listProjections()) {
    for await (const _ of operations.rebuildProjection({ name })) {
      // Its progress is nobody's business here.
    }
  }
}
