/** The server under siege, with its customers and the eyes that watch it. */

import { readFileSync } from 'node:fs'
import type { Operations } from '@svc/contracts/admin/operations'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import type { ClientAnswer } from '@svc/testing/checker/history'
import { secretOf } from '@svc/testing/made-key'
import { memoryOfProcess } from '@svc/testing/process-size'
import { type ReadyLine, ServerProcess } from '@svc/testing/server-process'
import { Audit } from '../torture/audit.ts'

const LOOK_AGAIN_MS = 100
const MEBIBYTE = 1024 * 1024
const OPERATIONS_TIMEOUT_MS = 600_000
const WORKERS_READY_MS = 30_000

export interface Customer {
  readonly keys: readonly string[]
}

/** The largest that was seen. */
export interface Sizes {
  readonly gatewayMb: number
  readonly workerMb: number
}

export class Besieged {
  readonly baseUrl: string
  readonly #server: ServerProcess
  readonly #operations: Operations
  readonly #watch: NodeJS.Timeout
  #gatewayBytes = 0
  #workerBytes = 0

  private constructor(server: ServerProcess, { baseUrl, dataDir }: ReadyLine) {
    const operatorToken = new DataFolder(dataDir).readSecrets()?.operatorToken ?? ''
    const signal = AbortSignal.timeout(OPERATIONS_TIMEOUT_MS)
    this.baseUrl = baseUrl
    this.#server = server
    this.#operations = createRemoteOperations({ baseUrl, operatorToken, signal })
    this.#watch = setInterval(() => this.#look(), LOOK_AGAIN_MS)
  }

  /** @param dataDir a folder that does not exist yet */
  static async start(
    dataDir: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<Besieged> {
    const server = new ServerProcess(dataDir, environment)
    try {
      const besieged = new Besieged(server, await server.ready())
      await besieged.#workersReady()
      return besieged
    } catch (error) {
      server.kill('SIGKILL')
      throw error
    }
  }

  /** @param credit in dollars; `0`: none was ever granted */
  async openCustomer(name: string, credit: string, keys: number): Promise<Customer> {
    const { account_id: accountId } = await this.#operations.openAccount({
      name,
      spend_policy: 'standard',
    })
    if (credit !== '0') {
      await this.#operations.grant({
        account_id: accountId,
        amount: credit,
        category: 'paid',
        priority: 0,
        expires_at: null,
        reference: name,
        reason: 'siege',
      })
    }
    const secrets: string[] = []
    for (let number = 0; number < keys; number += 1) {
      const key = await this.#operations.createKey({
        account_id: accountId,
        name: `${name} ${number}`,
        expires_at: null,
      })
      secrets.push(secretOf(key))
    }
    return { keys: secrets }
  }

  get sizes(): Sizes {
    return { gatewayMb: mb(this.#gatewayBytes), workerMb: mb(this.#workerBytes) }
  }

  /** How often its workers had to be started again. */
  async workerRestarts(): Promise<number> {
    const { workers } = await this.#operations.status()
    return workers.reduce((sum, { restarts }) => sum + restarts, 0)
  }

  /**
   * Waits until nothing runs, and holds the books against what a customer was told.
   *
   * @returns what is wrong, a line each
   */
  audit(told: readonly ClientAnswer[]): Promise<string[]> {
    return new Audit().check(this.#operations, told)
  }

  async close(): Promise<void> {
    clearInterval(this.#watch)
    this.#server.kill('SIGKILL')
    await this.#server.exited
  }

  /** The last that it wrote to standard error. */
  get complaints(): string {
    return this.#server.stderr
  }

  async #workersReady(): Promise<void> {
    const endMs = performance.now() + WORKERS_READY_MS
    for (;;) {
      const { workers } = await this.#operations.status()
      if (workers.every(({ status }) => status === 'ready')) return
      if (performance.now() > endMs) throw new Error('the workers are not ready')
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
  }

  #look(): void {
    try {
      const { pid } = this.#server
      this.#gatewayBytes = Math.max(this.#gatewayBytes, memoryOfProcess(pid))
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
      for (const child of children.filter(Boolean)) {
        this.#workerBytes = Math.max(this.#workerBytes, memoryOfProcess(Number(child)))
      }
    } catch {
      // A process that ended between two looks.
    }
  }
}

function mb(bytes: number): number {
  return Math.round(bytes / MEBIBYTE)
}
