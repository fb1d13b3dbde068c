/**
 * Limits how often somebody may guess. Failures alone are counted: by who guesses whom, so that
 * nobody keeps another out from afar; by address, for lists of names; and by user, for many
 * addresses. What is being checked may fail, so it counts as long as it lasts: many guesses at once
 * are as many as one after the other.
 */
import { hash } from 'node:crypto'
import { limitExceeded, type RateLimit, type RateLimits } from '@svc/contracts/ports/rate-limits'
import { networkOf } from '@svc/infra/system/network'

const WINDOW_SECONDS = 15 * 60
const PER_USER_AND_ADDRESS = 5
const PER_ADDRESS = 30
const PER_USER = 50
/** Passwords of one address that are checked at once: they wait in one line with all others. */
const CHECKS_PER_ADDRESS = 10
/** The time until a place in the line of checks is free again. */
const CHECK_MS = 1_000
const TOO_MANY_AT_ONCE = 'Too many attempts at once. Please try again.'
/** New users, links that are of no use, and addresses that others have. */
const JOINS_PER_ADDRESS = 20
/** Sign-ins by a passkey or a provider that are begun: each is kept for minutes. */
const STARTS_PER_ADDRESS = 200

interface Counted {
  readonly limit: RateLimit
  readonly name: string
  /** The number of checks that may be under way. */
  readonly atOnce: number
}

export class SignInLimits {
  readonly #pair: RateLimit
  readonly #address: RateLimit
  readonly #user: RateLimit
  readonly #joins: RateLimit
  readonly #starts: RateLimit
  /** The number of checks of each that are under way. */
  readonly #underWay = new Map<string, number>()

  constructor(rateLimits: RateLimits) {
    const open = (kind: string, limit: number) => rateLimits.open(kind, limit, WINDOW_SECONDS)
    this.#pair = open('sign-in-user-address', PER_USER_AND_ADDRESS)
    this.#address = open('sign-in-address', PER_ADDRESS)
    this.#user = open('sign-in-user', PER_USER)
    this.#joins = open('join-address', JOINS_PER_ADDRESS)
    this.#starts = open('sign-in-start', STARTS_PER_ADDRESS)
  }

  /**
   * Carries a check of a password out, when it may fail once more.
   *
   * @param check undefined for a failure, which is counted
   * @throws {ServiceError} `rate_limit_exceeded`, and what the check throws
   */
  async guarded<Right>(
    who: string,
    address: string,
    check: () => Promise<Right | undefined>,
  ): Promise<Right | undefined> {
    const counted = this.#counted(who, address)
    const turns = counted.map(({ name }) => this.#begin(name))
    try {
      for (const [index, { limit, name, atOnce }] of counted.entries()) {
        const turn = turns[index] ?? 0
        const use = await limit.look(name)
        if (use.remaining < turn) throw tooMany(limit, use)
        if (turn > atOnce)
          throw limitExceeded(TOO_MANY_AT_ONCE, limit, { ...use, resetMs: CHECK_MS })
      }
      const right = await check()
      if (right === undefined) {
        for (const { limit, name } of counted) await limit.take(name)
      }
      return right
    } finally {
      for (const { name } of counted) this.#end(name)
    }
  }

  /** @returns which of those under way it is, from 1 on */
  #begin(name: string): number {
    const turn = (this.#underWay.get(name) ?? 0) + 1
    this.#underWay.set(name, turn)
    return turn
  }

  #end(name: string): void {
    const left = (this.#underWay.get(name) ?? 0) - 1
    if (left > 0) this.#underWay.set(name, left)
    else this.#underWay.delete(name)
  }

  /** Counts one. @throws {ServiceError} `rate_limit_exceeded` */
  async takeStart(address: string): Promise<void> {
    const use = await this.#starts.take(networkOf(address))
    if (!use.allowed) throw tooMany(this.#starts, use)
  }

  /**
   * Is asked before anybody joins, or has a link looked at.
   *
   * @throws {ServiceError} `rate_limit_exceeded`
   */
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

  /** Names what is counted. It may be kept elsewhere, where no address of a person belongs. */
  #counted(who: string, address: string): readonly Counted[] {
    const user = hash('sha256', who, 'hex')
    const network = networkOf(address)
    return [
      { limit: this.#pair, name: `${user} ${network}`, atOnce: PER_USER_AND_ADDRESS },
      { limit: this.#address, name: network, atOnce: CHECKS_PER_ADDRESS },
      { limit: this.#user, name: user, atOnce: PER_USER },
    ]
  }
}

function tooMany(limit: RateLimit, use: Parameters<typeof limitExceeded>[2]) {
  return limitExceeded('Too many attempts. Please wait some minutes.', limit, use)
}
