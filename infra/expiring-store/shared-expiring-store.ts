/**
 * Texts that gateways share, with the store of one's own folder behind them: while the shared store
 * is away, each gateway keeps and finds what is its own, and nobody waits or is refused.
 *
 *     copies both   kept here and there: what one gateway kept it finds again, whatever the other
 *                   store forgets. For texts that nobody ever removes
 *     copies one    kept there, and here only what could not be: a text that was removed is gone
 *                   for every gateway. To remove one, the shared store has to answer
 *
 * What is kept under an id here never changes: the own copy is as good as the shared one, and is
 * looked for first.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'

/**
 * The most characters of a shared text: it is sent in one piece, within the time that a call to the
 * shared store may take.
 */
export const SHARED_TEXT_CHARACTERS_MAX = 2 * 1024 * 1024

export interface SharedExpiringStoreOptions {
  readonly own: ExpiringStore
  /** Rejects while it is away. */
  readonly shared: ExpiringStore
  readonly copies: 'both' | 'one'
}

export class SharedExpiringStore implements ExpiringStore {
  readonly #own: ExpiringStore
  readonly #shared: ExpiringStore
  readonly #copies: SharedExpiringStoreOptions['copies']

  constructor({ own, shared, copies }: SharedExpiringStoreOptions) {
    this.#own = own
    this.#shared = shared
    this.#copies = copies
  }

  async save(accountId: string, id: string, text: string, expiresAt: number): Promise<void> {
    const kept = [accountId, id, text, expiresAt] as const
    const isShared =
      text.length <= SHARED_TEXT_CHARACTERS_MAX && (await succeeds(this.#shared.save(...kept)))
    if (!isShared || this.#copies === 'both') await this.#own.save(...kept)
  }

  async load(accountId: string, id: string, now: number): Promise<string | undefined> {
    const asked = [accountId, id, now] as const
    const own = await this.#own.load(...asked)
    if (own !== undefined) return own
    return this.#shared.load(...asked).catch(() => undefined)
  }

  /** @throws {ServiceError} `store_unavailable` when the shared store may still hold it */
  async remove(accountId: string, id: string): Promise<boolean> {
    const wasOwn = await this.#own.remove(accountId, id)
    return (await removedThere(this.#shared.remove(accountId, id))) || wasOwn
  }

  /** @throws {ServiceError} `store_unavailable` when the shared store may still hold some */
  async removeAll(accountId: string): Promise<number> {
    const own = await this.#own.removeAll(accountId)
    return own + (await removedThere(this.#shared.removeAll(accountId)))
  }

  async removeExpired(now: number, limit: number): Promise<number> {
    const own = await this.#own.removeExpired(now, limit)
    const room = limit - own
    return own + (room > 0 ? await this.#shared.removeExpired(now, room).catch(() => 0) : 0)
  }

  async close(): Promise<void> {
    await Promise.all([this.#own.close(), this.#shared.close()])
  }
}

async function removedThere<Removed>(removal: Promise<Removed>): Promise<Removed> {
  try {
    return await removal
  } catch (cause) {
    const message = 'What is shared between servers cannot be removed now. Please try again.'
    throw new ServiceError('store_unavailable', message, { retryAfterSeconds: 1, cause })
  }
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
