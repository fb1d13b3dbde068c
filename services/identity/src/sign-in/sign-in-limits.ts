/**
 * How often somebody may guess. Failures alone are counted: by who guesses whom, so that nobody
 * keeps another out from afar; by address, for lists of names; and by user, for many addresses.
 */
import { hash } from 'node:crypto'
import { limitExceeded, type RateLimit, type RateLimits } from '@svc/contracts/ports/rate-limits'
import { networkOf } from '@svc/infra/system/network'

const WINDOW_SECONDS = 15 * 60
const PER_USER_AND_ADDRESS = 5
const PER_ADDRESS = 30
const PER_USER = 50
/** New users, and links that are of no use. */
const JOINS_PER_ADDRESS = 20
/** Sign-ins by a passkey or a provider that are begun: each is kept for minutes. */
const STARTS_PER_ADDRESS = 200

export class SignInLimits {
  readonly #pair: RateLimit
  readonly #address: RateLimit
  readonly #user: RateLimit
  readonly #joins: RateLimit
  readonly #starts: RateLimit

  constructor(rateLimits: RateLimits) {
    const open = (kind: string, limit: number) => rateLimits.open(kind, limit, WINDOW_SECONDS)
    this.#pair = open('sign-in-user-address', PER_USER_AND_ADDRESS)
    this.#address = open('sign-in-address', PER_ADDRESS)
    this.#user = open('sign-in-user', PER_USER)
    this.#joins = open('join-address', JOINS_PER_ADDRESS)
    this.#starts = open('sign-in-start', STARTS_PER_ADDRESS)
  }

  /** @throws {ServiceError} `rate_limit_exceeded` */
  async check(who: string, address: string): Promise<void> {
    for (const [limit, name] of this.#counted(who, address)) {
      const use = await limit.look(name)
      if (!use.allowed) throw tooMany(limit, use)
    }
  }

  async noteFailure(who: string, address: string): Promise<void> {
    for (const [limit, name] of this.#counted(who, address)) await limit.take(name)
  }

  /** Counts one. @throws {ServiceError} `rate_limit_exceeded` */
  async takeStart(address: string): Promise<void> {
    const use = await this.#starts.take(networkOf(address))
    if (!use.allowed) throw tooMany(this.#starts, use)
  }

  /** Before anybody joins, or has a link looked at. @throws {ServiceError} `rate_limit_exceeded` */
  async checkJoin(address: string): Promise<void> {
    const use = await this.#joins.look(networkOf(address))
    if (!use.allowed) throw tooMany(this.#joins, use)
  }

  async noteJoin(address: string): Promise<void> {
    await this.#joins.take(networkOf(address))
  }

  /** Checks and counts one. @throws {ServiceError} `rate_limit_exceeded` */
  async takeJoin(address: string): Promise<void> {
    await this.checkJoin(address)
    await this.noteJoin(address)
  }

  /** What is counted may be kept elsewhere, where no address of a person belongs. */
  #counted(who: string, address: string): readonly (readonly [RateLimit, string])[] {
    const user = hash('sha256', who, 'hex')
    const network = networkOf(address)
    return [
      [this.#pair, `${user} ${network}`],
      [this.#address, network],
      [this.#user, user],
    ]
  }
}

function tooMany(limit: RateLimit, use: Parameters<typeof limitExceeded>[2]) {
  return limitExceeded('Too many attempts. Please wait some minutes.', limit, use)
}
