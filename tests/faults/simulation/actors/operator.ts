/** The operator, and whoever writes payments: they ask until they are told that it is done. */
import { formatExact } from '@svc/contracts/money'
import type { BusRecord } from '@svc/contracts/ports/bus'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import type { Ledger } from '@svc/ledger/ledger'
import { payment } from '@svc/testing/ledger/open-ledger'
import { MODEL, PARTITIONS, type SimulatedAccount, TOP_UP_TOPIC, type World } from '../world.ts'
import type { GatewayPlace } from './gateway-place.ts'

const PAUSE_MS = 500
/** Amounts from here on are of payments, each of one. */
const FIRST_AMOUNT = 21
const PAYMENTS = 4
const SHARE_TWICE = 0.4
const SHARE_POISON = 0.2
const NEW_PRICES = 3
const never = new AbortController().signal

export class Operator {
  readonly #world: World
  readonly #places: readonly GatewayPlace[]
  readonly #accounts: readonly SimulatedAccount[]
  readonly #bus: MemoryBus

  constructor(
    world: World,
    places: readonly GatewayPlace[],
    accounts: readonly SimulatedAccount[],
  ) {
    this.#world = world
    this.#places = places
    this.#accounts = accounts
    this.#bus = new MemoryBus(world.cluster, world.time)
  }

  async work(): Promise<void> {
    const { random, plan } = this.#world
    const payments = Array.from({ length: PAYMENTS }, (_, index) => this.#pay(index))
    await Promise.all([
      ...payments,
      ...(plan.hasRevocation ? [this.#revoke()] : []),
      ...(plan.hasNewPrice ? [this.#publishPrices()] : []),
      ...(random.next() < SHARE_POISON ? [this.#deliver('no payment at all')] : []),
    ])
  }

  /** In one of the two ways that payments come: from a topic, or by asking a gateway. */
  async #pay(index: number): Promise<void> {
    const { random, notes } = this.#world
    const { accountId } = random.pick(this.#accounts)
    const amount = BigInt(FIRST_AMOUNT + index)
    const reference = `payment ${index}`
    await this.#waitSometime()
    if (index % 2 === 0) {
      const text = this.#paymentText(accountId, amount, reference)
      await this.#deliver(text)
      if (random.next() < SHARE_TWICE) await this.#deliver(text)
      notes.payments.push({ accountId, amount, isDue: true })
      return
    }
    const granted = (): Promise<void> =>
      this.#untilTold((ledger) =>
        ledger.administration.grant(accountId, payment(amount, reference)),
      )
    await Promise.all([granted(), ...(random.next() < SHARE_TWICE ? [granted()] : [])])
    notes.payments.push({ accountId, amount, isDue: true })
  }

  #paymentText(accountId: string, amount: bigint, reference: string): string {
    const money = { amount: formatExact(amount), currency: 'USD' }
    return JSON.stringify({ account_id: accountId, ...money, reference })
  }

  async #deliver(value: string): Promise<void> {
    const { cluster } = this.#world
    const record: BusRecord = { key: value.slice(0, 40), value, headers: {} }
    await cluster.untilBack()
    const topic = await this.#bus.open({ name: TOP_UP_TOPIC, partitions: PARTITIONS })
    await topic.deliver([record], never)
  }

  async #revoke(): Promise<void> {
    const { random, notes } = this.#world
    const { accountId, keyIds } = random.pick(this.#accounts)
    await this.#waitSometime()
    const keyId = keyIds.at(-1)
    if (keyId === undefined) return
    await this.#untilTold((ledger) =>
      ledger.administration.revokeKey(accountId, { keyId, reason: 'leaked', actor: 'operator' }),
    )
    notes.revocations.push({ accountId, keyId })
  }

  async #publishPrices(): Promise<void> {
    const { random } = this.#world
    for (let nth = 0; nth < NEW_PRICES; nth += 1) {
      await this.#waitSometime()
      const [input, output] = [BigInt(1 + random.integer(4)), BigInt(1 + random.integer(5))]
      const rates = { input, cachedInput: 1n, output }
      const price = { model: MODEL, rates, idempotencyKey: `price ${nth}` }
      await this.#untilTold((ledger) => ledger.pricing.publish(price))
    }
  }

  async #untilTold<Answer>(work: (ledger: Ledger) => Promise<Answer>): Promise<void> {
    const { time, random } = this.#world
    for (;;) {
      const { gateway } = random.pick(this.#places)
      if ((await gateway?.operate(work)) !== undefined) return
      await time.wait(random.integer(PAUSE_MS))
    }
  }

  #waitSometime(): Promise<void> {
    const { time, random, plan } = this.#world
    return time.wait(random.integer(plan.lengthMs))
  }
}
