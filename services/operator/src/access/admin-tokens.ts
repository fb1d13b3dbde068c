/**
 * The admin tokens: the stream `admin-tokens`, folded in memory.
 *
 * What another process has made or revoked counts here within a second, and while that cannot be
 * known, no token is believed, but for metrics: whoever watches a server has to see that its log is
 * away.
 */
import { timingSafeEqual } from 'node:crypto'
import { makeAdminSecret, tokenOfSecret } from '@svc/contracts/admin/admin-token'
import { hashSecret, lastFour, SECRET_RANDOM_BYTES } from '@svc/contracts/checked-secret'
import { ServiceError } from '@svc/contracts/errors'
import {
  type AdminRole,
  type AdminTokenEvent,
  adminTokensStream,
} from '@svc/contracts/events/admin-tokens'
import { decodeEvent, decodeMetadata, encodeEvent } from '@svc/contracts/events/codec'
import { eventId, type IdSource, idOfIdempotencyKey } from '@svc/contracts/ids'
import { readKeptText } from '@svc/contracts/kept-text'
import type { EventStore, NewEvent } from '@svc/contracts/ports/event-store'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock, Timer } from '@svc/contracts/ports/time'
import { FreshStream } from '@svc/ledger/fresh-stream'

const TOKENS_MAX = 10_000
/** The hash that a secret is compared with in place of an unknown token's: no secret has it. */
const NO_HASH = '0'.repeat(64)

export interface AdminTokensPorts {
  readonly store: EventStore
  /** Keeps the names, and why a token was ended. */
  readonly texts: TextStore
  readonly clock: Clock
  readonly timer: Timer
  readonly ids: IdSource
  /** Gives bytes of a cryptographic source: secrets are made of them. */
  readonly randomBytes: (count: number) => Uint8Array
  /** Is told when the stream cannot be relied on. */
  readonly quarantine?: Pick<Quarantine, 'note'>
}

/** Times are milliseconds since 1970. */
export interface AdminToken {
  readonly tokenId: string
  /** The word of the name, or the name itself in a token from before there were words. */
  readonly name: string
  readonly role: AdminRole
  readonly secretHash: string
  readonly lastFour: string
  readonly createdAt: number
  /** The actor. */
  readonly createdBy: string
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export interface NewAdminToken {
  readonly name: string
  readonly role: AdminRole
  readonly expiresAt: number | null
  readonly actor: string
  /** The same key makes one token. */
  readonly idempotencyKey?: string | undefined
}

export interface CreatedAdminToken {
  readonly tokenId: string
  /**
   * The secret, which is shown once; only its hash is stored. Null when the token had been made
   * before.
   */
  readonly secret: string | null
}

export class AdminTokens {
  readonly #ports: AdminTokensPorts
  readonly #stream: FreshStream
  readonly #byId = new Map<string, AdminToken>()

  constructor(ports: AdminTokensPorts) {
    this.#ports = ports
    const fold = { from: 'start', fold: (event: NewEvent) => this.#fold(event) } as const
    const refusal = 'Admin tokens cannot be checked now.'
    this.#stream = new FreshStream(ports, { stream: adminTokensStream, ...fold }, refusal)
  }

  /** Every token that was ever made, oldest first. @throws {ServiceError} `store_unavailable` */
  async list(): Promise<readonly AdminToken[]> {
    await this.#stream.refresh()
    return [...this.#byId.values()]
  }

  /** Whether memory knows this secret, however the token stands now. Asks nobody. */
  isKnown(secret: string): boolean {
    return this.#tokenOf(secret) !== undefined
  }

  /**
   * The token of a secret that is in force now, or undefined.
   *
   * @throws {ServiceError} `store_unavailable` when that cannot be known
   */
  async inForce(secret: string): Promise<AdminToken | undefined> {
    if (tokenOfSecret(secret) === undefined) return undefined
    await this.#stream.refresh()
    return this.lastKnown(secret)
  }

  /** The token of a secret that was in force when that could last be known. Asks nobody. */
  lastKnown(secret: string): AdminToken | undefined {
    const token = this.#tokenOf(secret)
    return token !== undefined && this.#isInForce(token) ? token : undefined
  }

  /** Does the same as {@link inForce} for a token that was identified before. */
  async isStillInForce(tokenId: string): Promise<boolean> {
    await this.#stream.refresh()
    const token = this.#byId.get(tokenId)
    return token !== undefined && this.#isInForce(token)
  }

  /**
   * Resolves when the token is durable. With an idempotency key it is made once.
   *
   * @throws {ServiceError} `conflict` for a name that was given before, and for another token under
   *   the same key; `invalid_value` for an end that is past
   */
  async create({ idempotencyKey, ...token }: NewAdminToken): Promise<CreatedAdminToken> {
    const { ids, clock, texts, randomBytes } = this.#ports
    const { actor, name, role, expiresAt } = token
    const tokenId =
      idempotencyKey === undefined ? ids.next('tok') : idOfIdempotencyKey('tok', idempotencyKey)
    const secret = makeAdminSecret(tokenId, randomBytes(SECRET_RANDOM_BYTES))
    const shown = { secretHash: hashSecret(secret), lastFour: lastFour(secret) }
    if (idempotencyKey !== undefined) await this.#stream.refresh()
    await this.#stream.append(async () => {
      const made = this.#byId.get(tokenId)
      if (made !== undefined) {
        await this.#refuseOtherToken(made, token)
        return []
      }
      const at = clock.nowMs()
      await this.#checkNew(token, at)
      const word = await texts.keep(tokenId, name)
      const data = { tokenId, name: word, role, expiresAt, ...shown, at }
      return [encoded({ type: 'AdminTokenCreated', data }, actor, shown.secretHash)]
    })
    const isNew = this.#byId.get(tokenId)?.secretHash === shown.secretHash
    return { tokenId, secret: isNew ? secret : null }
  }

  /**
   * Resolves when the revocation is durable; a token that is revoked already stays so since then.
   *
   * @throws {ServiceError} `not_found`
   */
  async revoke(
    tokenId: string,
    reason: string,
    actor: string,
  ): Promise<{ readonly revokedAt: number; readonly alreadyRevoked: boolean }> {
    await this.#stream.refresh()
    let alreadyRevoked = false
    await this.#stream.append(async () => {
      alreadyRevoked = this.#knownToken(tokenId).revokedAt !== null
      if (alreadyRevoked) return []
      const word = await this.#ports.texts.keep(tokenId, reason)
      const data = { tokenId, reason: word, at: this.#ports.clock.nowMs() }
      return [encoded({ type: 'AdminTokenRevoked', data }, actor)]
    })
    const { revokedAt } = this.#knownToken(tokenId)
    return { revokedAt: revokedAt as number, alreadyRevoked }
  }

  /** The id only says where to look; the whole secret is compared, in one time whatever it is. */
  #tokenOf(secret: string): AdminToken | undefined {
    const tokenId = tokenOfSecret(secret)
    const token = tokenId === undefined ? undefined : this.#byId.get(tokenId)
    const isEqual = isSameHash(hashSecret(secret), token?.secretHash ?? NO_HASH)
    return isEqual ? token : undefined
  }

  #isInForce({ expiresAt, revokedAt }: AdminToken): boolean {
    return revokedAt === null && (expiresAt === null || this.#ports.clock.nowMs() < expiresAt)
  }

  #knownToken(tokenId: string): AdminToken {
    const token = this.#byId.get(tokenId)
    if (token !== undefined) return token
    throw new ServiceError('not_found', `There is no admin token ${tokenId}.`, {
      param: 'token_id',
    })
  }

  async #checkNew({ name, expiresAt }: NewAdminToken, at: number): Promise<void> {
    const names = await this.#names([...this.#byId.values()])
    const same = [...names].find(([, other]) => other === name)?.[0]
    if (same !== undefined) {
      const message = `name: ${same} has this name, and a name stands for one token for ever`
      throw new ServiceError('conflict', message, { param: 'name' })
    }
    if (expiresAt !== null && expiresAt <= at) {
      const message = 'expires_at: must be later than now'
      throw new ServiceError('invalid_value', message, { param: 'expires_at' })
    }
    if (this.#byId.size >= TOKENS_MAX) {
      const message = `There are ${TOKENS_MAX} admin tokens, the most there can be.`
      throw new ServiceError('conflict', message)
    }
  }

  /**
   * Finds the names by token. Those that were erased are not among them: somebody else may be
   * called so.
   */
  async #names(tokens: readonly AdminToken[]): Promise<ReadonlyMap<string, string>> {
    const words = tokens.flatMap(({ name }) => (readKeptText(name) === undefined ? [] : [name]))
    const found = await this.#ports.texts.find(words)
    const names = new Map<string, string>()
    for (const { tokenId, name } of tokens) {
      const shown = readKeptText(name) === undefined ? name : found.get(name)?.text
      if (shown !== undefined) names.set(tokenId, shown)
    }
    return names
  }

  async #refuseOtherToken(made: AdminToken, asked: NewAdminToken): Promise<void> {
    const { role, expiresAt } = asked
    // When the name is erased, the key alone says that it is the same token.
    const name = (await this.#names([made])).get(made.tokenId) ?? asked.name
    if (name === asked.name && made.role === role && made.expiresAt === expiresAt) return
    const message = `Another token was made under this idempotency key: ${made.tokenId}.`
    throw new ServiceError('conflict', message)
  }

  #fold(stored: NewEvent): void {
    const { type, data } = decodeEvent(stored) as AdminTokenEvent
    if (type === 'AdminTokenRevoked') {
      const token = this.#knownToken(data.tokenId)
      this.#byId.set(token.tokenId, { ...token, revokedAt: token.revokedAt ?? data.at })
      return
    }
    const { at: createdAt, ...token } = data
    const { actor: createdBy } = decodeMetadata(stored)
    this.#byId.set(token.tokenId, { ...token, createdAt, createdBy, revokedAt: null })
  }
}

/** @param attempt tells one from another that makes the same token at the same time */
function encoded(event: AdminTokenEvent, actor: string, attempt = ''): NewEvent {
  const { tokenId } = event.data
  const origin = { correlationId: tokenId, causationId: tokenId, actor }
  return encodeEvent(eventId(tokenId, `${event.type}${attempt}`), event, origin)
}

function isSameHash(given: string, stored: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(stored)]
  return one.length === other.length && timingSafeEqual(one, other)
}
