/** `svc start` with its worker, without pages: billing, ledger and prefix cache as always. */
import { join } from 'node:path'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { ServerProcess } from '@svc/testing/server-process'
import type { ModelUnderTest } from '../model-under-test.ts'
import type { ServerSize, WholeServer } from './whole-server.ts'

/** Dollars per million tokens. */
const PRICE = '1.00'
/** Dollars: more than a benchmark spends. */
const CREDIT = '1000.00'

/** Each tenant is an account of its own: they share no cache and no limit. */
export class SvcServer implements WholeServer {
  readonly name = 'svc'
  readonly restarts = 0
  readonly baseUrl: string
  readonly #process: ServerProcess
  readonly #keys: readonly string[]

  private constructor(server: ServerProcess, baseUrl: string, keys: readonly string[]) {
    this.#process = server
    this.baseUrl = baseUrl
    this.#keys = keys
  }

  /** @throws Error with the server's words when it does not come up */
  static async start(
    model: ModelUnderTest,
    folder: string,
    { contextTokens, sequences, threads, gpu, tenants }: ServerSize,
  ): Promise<SvcServer> {
    const dataDir = join(folder, 'svc-data')
    const server = new ServerProcess(dataDir, {
      SVC_MODEL: model.argument,
      SVC_CONTEXT_SIZE: `${contextTokens}`,
      SVC_SEQUENCES: `${sequences}`,
      SVC_THREADS: `${threads}`,
      SVC_GPU: gpu,
      SVC_FIRST_RUN: 'empty',
      // Its pages are built at the first start, for seconds, on the processors that are measured.
      SVC_DASHBOARD: 'off',
      SVC_INIT_PRICE_INPUT: PRICE,
      SVC_INIT_PRICE_CACHED_INPUT: PRICE,
      SVC_INIT_PRICE_OUTPUT: PRICE,
    })
    const { baseUrl } = await server.ready()
    const { operatorToken } = new DataFolder(dataDir).readSecrets() ?? { operatorToken: '' }
    const keys = await openAccounts(baseUrl, operatorToken, tenants)
    return new SvcServer(server, baseUrl, keys)
  }

  get pid(): number {
    return this.#process.pid
  }

  keyOf(tenant: number): string {
    const key = this.#keys[tenant % this.#keys.length]
    if (key === undefined) throw new Error('no account was opened')
    return key
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stop()
  }
}

async function openAccounts(
  baseUrl: string,
  operatorToken: string,
  count: number,
): Promise<readonly string[]> {
  const { signal } = new AbortController()
  const operations = createRemoteOperations({ baseUrl, operatorToken, signal })
  const keys: string[] = []
  for (let number = 0; number < count; number += 1) {
    const name = `tenant-${number}`
    const { account_id } = await operations.openAccount({ name, spend_policy: 'standard' })
    await operations.grant({
      account_id,
      amount: CREDIT,
      category: 'paid',
      priority: 100,
      expires_at: null,
      reference: null,
      reason: 'a benchmark',
    })
    const { secret } = await operations.createKey({ account_id, name, expires_at: null })
    keys.push(secret ?? '')
  }
  return keys
}
