/**
 * What other processes did to the accounts that this one knows: a key that was revoked or ends
 * sooner, an account that was frozen, closed or put on another price list. A request for inference
 * meets them at its acceptance, which needs the exact head of the stream. What only reads, and what
 * runs already, would go by memory for as long as nothing is written.
 *
 *     four times a second: the log, from where it was read to, to its end
 *        └── a change of an account ──▶ memory of it is old ──▶ it is read again
 *
 * The bound holds by construction, and not because a message comes in time. A caller may use the
 * state in memory when the log was read to its end within the last {@link CURRENT_MS} and had no
 * news of the account; otherwise it reads the account again first. Only while the log cannot be
 * read, the state in memory is used as it is: then no request can be accepted, and reads are still
 * answered.
 */
import { accountStream } from '@svc/contracts/events/account'
import type { EventStore, Position, RecordedEvent } from '@svc/contracts/ports/event-store'
import { type Clock, pause, type Timer } from '@svc/contracts/ports/time'
import { within } from '@svc/contracts/ports/within'
import { RecentlyUsed } from '@svc/infra/recently-used'
import type { Ledger } from '@svc/ledger/ledger'
import type { Logger } from 'pino'

const NEWS: ReadonlySet<string> = new Set([
  'ApiKeyRevoked',
  'ApiKeyExpirySet',
  'AccountFrozen',
  'AccountUnfrozen',
  'AccountClosed',
  'PriceListSet',
  'TextsErased',
])
const ACCOUNT_STREAMS = accountStream('')
const PAGE_EVENTS = 500
const LOOK_EVERY_MS = 250
/** With what a request itself takes, a revoked key is refused within a second. */
export const CURRENT_MS = 750
/** Accounts that others have changed, and that memory may not have caught up with. */
const CHANGED_MAX = 10_000
/** A read of a server that does not answer is not waited for by who stops. */
const STOP_MS = 1_000

export interface AccountNewsPorts {
  readonly store: Pick<EventStore, 'readAll' | 'lastPosition'>
  readonly ledger: Pick<Ledger, 'lastPosition' | 'lookAgain'>
  /** Never put back. */
  readonly clock: Clock
  readonly timer: Timer
  readonly logger: Logger
}

export class AccountNews {
  /** Is called with each account whose texts were erased, by whichever process. */
  onErased: (accountId: string) => void = () => {}
  readonly #ports: AccountNewsPorts
  readonly #changed = new RecentlyUsed<string, Position>({ entriesMax: CHANGED_MAX })
  readonly #stopping = new AbortController()
  readonly #following: Promise<void>
  #after: Position
  /** Everything that was appended before this time was read. */
  #readUntilMs: number
  #isTroubled = false

  /** Resolves when it is known from where the log is read. */
  static async start(ports: AccountNewsPorts): Promise<AccountNews> {
    const startMs = ports.clock.nowMs()
    return new AccountNews(ports, await ports.store.lastPosition(), startMs)
  }

  private constructor(ports: AccountNewsPorts, after: Position, readUntilMs: number) {
    this.#ports = ports
    this.#after = after
    this.#readUntilMs = readUntilMs
    this.#following = this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await within(this.#ports.timer, STOP_MS, this.#following, undefined)
  }

  /** Whether memory may lack what another process did to the account more than a second ago. */
  mayBeOld(accountId: string): boolean {
    const { clock, ledger } = this.#ports
    const isSlow = clock.nowMs() - this.#readUntilMs > CURRENT_MS
    if (isSlow && !this.#isTroubled) return true
    const changedAt = this.#changed.get(accountId)
    return changedAt !== undefined && (ledger.lastPosition(accountId) ?? changedAt) < changedAt
  }

  async #follow(): Promise<void> {
    const { timer, logger } = this.#ports
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await this.#readToTheEnd(signal)
        this.#isTroubled = false
      } catch (err) {
        if (!this.#isTroubled) logger.warn({ err }, 'failed to read the log for revoked keys')
        this.#isTroubled = true
      }
      await pause(timer, LOOK_EVERY_MS, signal)
    }
  }

  async #readToTheEnd(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#ports
    while (!signal.aborted) {
      const beganMs = clock.nowMs()
      const events = await store.readAll({ after: this.#after, limit: PAGE_EVENTS })
      for (const event of events) if (NEWS.has(event.type)) this.#note(event)
      this.#after = events.at(-1)?.position ?? this.#after
      if (events.length === PAGE_EVENTS) continue
      this.#readUntilMs = beganMs
      return
    }
  }

  /** An account that is not in memory may be on its way there, from before the change. */
  #note({ stream, position, type }: RecordedEvent): void {
    if (!stream.startsWith(ACCOUNT_STREAMS)) return
    const { ledger, logger } = this.#ports
    const accountId = stream.slice(ACCOUNT_STREAMS.length)
    if (type === 'TextsErased') this.onErased(accountId)
    this.#changed.set(accountId, position)
    const known = ledger.lastPosition(accountId)
    if (known === undefined || known >= position) return
    // This is not awaited, so that the next account does not wait for a busy one.
    ledger.lookAgain(accountId).catch((err: unknown) => {
      logger.warn({ err, stream }, 'failed to read an account again that was changed elsewhere')
    })
  }
}
