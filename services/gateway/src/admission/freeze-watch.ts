/**
 * Ends what an account has under way when the operator freezes it: the ledger refuses what comes
 * from then on, and does not know what runs.
 *
 * It is looked for, and not waited for: memory knows of a freeze that this process has written or
 * read, the view of one that another gateway has written, and neither has to tell anybody. Both may
 * be behind an unfreezing, so what they say is confirmed by the ledger before anything is stopped.
 */
import type { Timer } from '@svc/contracts/ports/time'
import type { Ledger } from '@svc/ledger/ledger'
import type { AccountRow } from '@svc/projections/views'
import type { Logger } from 'pino'
import type { Places } from './places.ts'

/** A running request ends well within a second of the freeze. */
const LOOK_EVERY_MS = 250

export interface FreezeWatchPorts {
  readonly ledger: Pick<Ledger, 'isKnownFrozen' | 'account'>
  readonly views: { account(accountId: string): Pick<AccountRow, 'status'> | undefined }
  readonly places: Pick<Places, 'accountIds' | 'freeze'>
  readonly timer: Timer
  readonly logger: Logger
}

export class FreezeWatch {
  readonly #ports: FreezeWatchPorts
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor(ports: FreezeWatchPorts) {
    this.#ports = ports
  }

  start(): void {
    this.#cancel = this.#ports.timer.after(LOOK_EVERY_MS, () => void this.#look())
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  async #look(): Promise<void> {
    try {
      const seen = this.#ports.places.accountIds.filter((accountId) => this.#seemsFrozen(accountId))
      for (const accountId of seen) await this.#freezeIfSo(accountId)
    } catch (error) {
      this.#ports.logger.error({ err: error }, 'failed to look for frozen accounts, trying again')
    }
    if (!this.#isStopped) this.start()
  }

  #seemsFrozen(accountId: string): boolean {
    const { ledger, views } = this.#ports
    return ledger.isKnownFrozen(accountId) || views.account(accountId)?.status === 'frozen'
  }

  async #freezeIfSo(accountId: string): Promise<void> {
    const { ledger, places } = this.#ports
    const { status } = await ledger.account(accountId)
    if (status === 'frozen') places.freeze(accountId)
  }
}
