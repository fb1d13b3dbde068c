/**
 * Ends what an account has under way when the operator freezes it: the ledger refuses what comes
 * from then on, and does not know what runs.
 *
 * The watch polls. The ledger's memory has a freeze that this process has written or read, and the
 * view of accounts has one that another gateway has written; neither notifies anybody. Both may be
 * behind an unfreezing, so the ledger confirms the freeze before anything is stopped.
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
    // An account that cannot be read, such as a damaged one, keeps no other from its end.
    const looks = this.#ports.places.accountIds.map((accountId) => this.#freezeIfSo(accountId))
    const failed = (await Promise.allSettled(looks)).find((look) => look.status === 'rejected')
    if (failed !== undefined) {
      const { reason } = failed
      this.#ports.logger.error({ err: reason }, 'failed to look for frozen accounts, retrying')
    }
    if (!this.#isStopped) this.start()
  }

  async #freezeIfSo(accountId: string): Promise<void> {
    const { ledger, places } = this.#ports
    if (!this.#seemsFrozen(accountId)) return
    const { status } = await ledger.account(accountId)
    if (status === 'frozen') places.freeze(accountId)
  }

  #seemsFrozen(accountId: string): boolean {
    const { ledger, views } = this.#ports
    return ledger.isKnownFrozen(accountId) || views.account(accountId)?.status === 'frozen'
  }
}
