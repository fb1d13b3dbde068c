/** Customers, who ask, read, and ask again with the same key where no answer came. */

import type { SimulatedAccount, World } from '../world.ts'
import { type AskedRequest, Call, type Reply } from './call.ts'
import type { GatewayPlace } from './gateway-place.ts'

const ATTEMPTS = 6
const PAUSE_MS = 700
const CUT_WITHIN_MS = 500
const REFUSED_MS = 5
const TOKENS_MAX = 12
const SHARE_KEYED = 0.6
/** Of the keyed requests: a key that another customer of the account has too. */
const SHARE_SAME_KEY = 0.15
const SHARE_STREAMED = 0.5
const SHARE_READING = 0.25
/** Whoever gets one of these may ask again with the same key. */
const RETRIED: ReadonlySet<number> = new Set([409, 429, 500, 502, 503])

export class Customer {
  readonly #world: World
  readonly #places: readonly GatewayPlace[]
  readonly #account: SimulatedAccount
  readonly #index: number
  /** Requests of the account whose end this customer was told. */
  readonly #told: string[] = []

  constructor(
    world: World,
    places: readonly GatewayPlace[],
    account: SimulatedAccount,
    index: number,
  ) {
    this.#world = world
    this.#places = places
    this.#account = account
    this.#index = index
  }

  async live(): Promise<void> {
    const { time, random, plan } = this.#world
    for (let nth = 0; nth < plan.requestsPerCustomer; nth += 1) {
      await time.wait(random.integer(plan.lengthMs / plan.requestsPerCustomer))
      await this.#request(this.#draw(nth))
      if (random.next() < SHARE_READING) await this.#readBalance()
    }
  }

  #draw(nth: number): AskedRequest {
    const { random } = this.#world
    const { accountId, keyIds } = this.#account
    const promptTokens = 1 + random.integer(TOKENS_MAX)
    const isShared = random.next() < SHARE_SAME_KEY
    const isKeyed = random.next() < SHARE_KEYED
    const key = isShared ? `shared-${nth}` : `${this.#index}-${nth}`
    return {
      accountId,
      keyId: random.pick(keyIds),
      idempotencyKey: isKeyed ? key : null,
      body: isShared ? 'the same' : `request ${key}`,
      isStreamed: random.next() < SHARE_STREAMED,
      promptTokens,
      cachedTokens: random.integer(promptTokens + 1),
      maxOutputTokens: 1 + random.integer(TOKENS_MAX),
      outputTokens: random.integer(TOKENS_MAX + 3),
    }
  }

  async #request(asked: AskedRequest): Promise<void> {
    const { time, random } = this.#world
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const reply = await this.#call(asked)
      const isEnd = reply !== undefined && !RETRIED.has(reply.status) && !isHalf(reply)
      if (isEnd || asked.idempotencyKey === null) return
      await time.wait(random.integer(PAUSE_MS))
    }
  }

  async #call(asked: AskedRequest): Promise<Reply | undefined> {
    const { time, random, network, plan } = this.#world
    const call = new Call(asked)
    await time.wait(network.delayMs())
    const { gateway } = this.#placeFor(asked)
    if (gateway === undefined) {
      await time.wait(REFUSED_MS)
      return undefined
    }
    void gateway.serve(call)
    if (random.next() < plan.cutCalls) {
      const isNoticed = random.next() < 0.5
      time.after(random.integer(CUT_WITHIN_MS), () => call.breakOff(isNoticed))
    }
    const reply = await call.outcome
    this.#note(call, reply)
    return reply
  }

  #placeFor({ accountId }: AskedRequest): GatewayPlace {
    const { random, plan } = this.#world
    const home = this.#places[accountId.charCodeAt(accountId.length - 1) % this.#places.length]
    return plan.isAffine && home?.gateway !== undefined ? home : random.pick(this.#places)
  }

  #note(call: Call, reply: Reply | undefined): void {
    const { accountId, idempotencyKey } = call.asked
    const key = idempotencyKey === null ? undefined : `${accountId} ${idempotencyKey}`
    const broken = { status: call.hasBegun ? 200 : null, usage: null }
    const requestId = reply?.requestId ?? call.requestId
    if (requestId === undefined) return
    this.#world.notes.answers.push({ ...(reply ?? broken), requestId, key })
    if (reply?.usage) this.#told.push(requestId)
  }

  async #readBalance(): Promise<void> {
    const { random, notes } = this.#world
    const { accountId } = this.#account
    const after = [...this.#told]
    const { gateway } = random.pick(this.#places)
    const balance = await gateway?.operate((ledger) => ledger.balance(accountId))
    if (balance === undefined) return
    const { settled, held } = balance
    notes.balances.push({ accountId, settled, held, after })
  }
}

/** An answer that broke off in the middle. */
function isHalf({ status, usage }: Reply): boolean {
  return status === 200 && usage === null
}
