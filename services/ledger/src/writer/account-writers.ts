/**
 * The writers of the accounts that this process works with. Their number is bounded: the one that
 * was used least recently makes room, its state saved.
 */
import { serverStopping } from '@svc/contracts/errors'
import { accountStream } from '@svc/contracts/events/account'
import { isId } from '@svc/contracts/ids'
import { accountDamaged } from '@svc/contracts/ports/answerable-error'
import type { Position } from '@svc/contracts/ports/event-store'
import { damageError } from '@svc/contracts/ports/quarantine'
import type { AccountState } from '../account/state.ts'
import { noSuchAccount, overloaded } from './refusals.ts'
import { AccountWriter, type WriterPorts } from './writer.ts'

/** Writers that are looked at, oldest first, when room is needed. */
const LOOKED_AT_MAX = 64

export class AccountWriters {
  readonly #ports: WriterPorts
  /** Least recently used first. */
  readonly #writers = new Map<string, AccountWriter>()
  #isClosed = false

  constructor(ports: WriterPorts) {
    this.#ports = ports
  }

  /**
   * @throws {ServiceError} `account_damaged` while its stream is set aside, `server_is_overloaded`
   *   when every place is taken by a writer that works, `not_found` for what is no id of an
   *   account, and what a stopping server answers once this was closed
   */
  of(accountId: string): AccountWriter {
    if (this.#isClosed) throw serverStopping()
    if (!isId('acct', accountId)) throw noSuchAccount(accountId)
    const damage = this.#ports.quarantine.find(accountStream(accountId))
    if (damage !== undefined) throw accountDamaged(damageError(damage))
    const known = this.#writers.get(accountId)
    if (known === undefined) this.#makeRoom()
    const writer = known ?? new AccountWriter(accountId, this.#ports, this.#forgetUnopened)
    this.#writers.delete(accountId)
    this.#writers.set(accountId, writer)
    return writer
  }

  /** What memory holds of an account, if it holds it and its stream is not set aside. */
  state(accountId: string): AccountState | undefined {
    if (this.#ports.quarantine.find(accountStream(accountId)) !== undefined) return undefined
    return this.#writers.get(accountId)?.state
  }

  lastPosition(accountId: string): Position | undefined {
    return this.#writers.get(accountId)?.lastPosition
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#writers.values()].map((writer) => writer.close()))
    this.#writers.clear()
  }

  /** An account that does not exist is not kept, so that guesses take no room. */
  readonly #forgetUnopened = (writer: AccountWriter): void => {
    const isUnopened = writer.state === undefined || writer.state.accountId === null
    if (isUnopened && writer.isIdle) this.#writers.delete(writer.accountId)
  }

  #makeRoom(): void {
    if (this.#writers.size < this.#ports.limits.accountsInMemory) return
    let lookedAt = 0
    for (const [accountId, writer] of this.#writers) {
      if (writer.isIdle) {
        writer.saveSnapshot()
        this.#writers.delete(accountId)
        return
      }
      lookedAt += 1
      if (lookedAt >= LOOKED_AT_MAX) break
    }
    throw overloaded()
  }
}
