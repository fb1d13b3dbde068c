/**
 * Limits how often the people of an account change who they are and who may what. Each change is an
 * event that every gateway reads and keeps, for all accounts in one stream.
 */
import type { DashboardDeclaration } from '@svc/contracts/dashboard/declaration'
import { limitExceeded, type RateLimit, type RateLimits } from '@svc/contracts/ports/rate-limits'

const WINDOW_SECONDS = 15 * 60
/** A page that changes one thing after the other needs far fewer. */
const CHANGES = 200

export class ChangeLimit {
  readonly #changes: RateLimit

  constructor(rateLimits: RateLimits) {
    this.#changes = rateLimits.open('dashboard-changes', CHANGES, WINDOW_SECONDS)
  }

  /**
   * Counts a change by somebody who is signed in. What anybody may ask for has limits of its own.
   *
   * @param whose the account that is changed, or the user who changes what is theirs alone
   * @throws {ServiceError} `rate_limit_exceeded`
   */
  async take(
    { access, method }: Pick<DashboardDeclaration, 'access' | 'method'>,
    whose: string,
  ): Promise<void> {
    if (access === 'anybody' || method === 'GET') return
    const use = await this.#changes.take(whose)
    if (use.allowed) return
    throw limitExceeded('Too many changes. Please wait some minutes.', this.#changes, use)
  }
}
