/** Takes payments from a bus in memory into a ledger in memory. */
import type { ReceivedRecord } from '@svc/contracts/ports/bus'
import { MemoryBus } from '@svc/infra/bus/memory/memory-bus'
import { MemoryCluster } from '@svc/infra/bus/memory/memory-cluster'
import {
  grantOperation,
  previewGrantOperation,
} from '@svc/operator/operations/credit/grant-operation'
import { eventsOf, type LedgerSetting, openLedger } from '@svc/testing/ledger/open-ledger'
import { onTestFinished } from 'vitest'
import { TopUps } from '../src/top-ups/top-ups.ts'

export const TOPIC = 'payments'
/** By then a record that was not taken has come again. */
export const TRIED_AGAIN_MS = 1_000
const DEAD = 'payments.dead'
const never = new AbortController().signal

/** @returns its id, which is the same in every ledger */
async function openAccount(setting: LedgerSetting, externalId: string): Promise<string> {
  const account = { name: 'funded', externalId, actor: 'operator' }
  const opening = setting.ledger.administration.openAccount(account)
  const { accountId } = await setting.time.until(opening)
  return accountId
}

/** A ledger with an account, a bus, and the top-ups between them. */
export class House {
  readonly cluster: MemoryCluster
  readonly errors: string[] = []
  readonly accountId: string
  asked = 0
  ledgerFault: Error | undefined
  readonly #setting: LedgerSetting
  #held: PromiseWithResolvers<void> | undefined

  static async open(): Promise<House> {
    const house = await House.on(new MemoryCluster())
    await house.makeTopic(house.cluster)
    return house
  }

  /** A ledger whose only account has no credit, on a bus that others may have used before. */
  static async on(cluster: MemoryCluster): Promise<House> {
    const setting = await openLedger()
    return new House(setting, await openAccount(setting, 'crm-1'), cluster)
  }

  private constructor(setting: LedgerSetting, accountId: string, cluster: MemoryCluster) {
    this.#setting = setting
    this.accountId = accountId
    this.cluster = cluster
  }

  openAccount(externalId: string): Promise<string> {
    return openAccount(this.#setting, externalId)
  }

  get time() {
    return this.#setting.time
  }

  async makeTopic(cluster: MemoryCluster): Promise<void> {
    await new MemoryBus(cluster).open({ name: TOPIC, partitions: 1 })
  }

  takeTopUps(group = 'svc', bus = new MemoryBus(this.cluster, this.time)): TopUps {
    const error = (_: object, message: string) => this.errors.push(message)
    const log = { warn() {}, error }
    const topUps = new TopUps({ bus, topic: TOPIC, group, timer: this.time, log })
    const grant = grantOperation(this.#setting.ledger, { actor: 'top-ups' })
    const preview = previewGrantOperation(this.#setting.ledger, { actor: 'top-ups' })
    topUps.start(
      async (input) => {
        this.asked += 1
        if (this.ledgerFault !== undefined) throw this.ledgerFault
        const granted = await grant(input)
        await this.#held?.promise
        return granted
      },
      async (input) => {
        if (this.ledgerFault !== undefined) throw this.ledgerFault
        return preview(input)
      },
    )
    onTestFinished(() => topUps.stop())
    return topUps
  }

  holdGrants(): void {
    this.#held = Promise.withResolvers()
  }

  letGrantsGo(): void {
    this.#held?.resolve()
    this.#held = undefined
  }

  payment(fields: object): string {
    const { accountId: account_id } = this
    const usual = { account_id, amount: '5.00', currency: 'USD', reference: 'pay_1' }
    return JSON.stringify({ ...usual, ...fields })
  }

  /** Writes records as another system does, and lets them be taken. */
  async pay(...values: readonly (string | Buffer)[]): Promise<void> {
    const topic = await new MemoryBus(this.cluster).open({ name: TOPIC, partitions: 1 })
    for (const written of values) {
      const value = typeof written === 'string' ? { value: written } : { value: '', bytes: written }
      await topic.deliver([{ key: this.accountId, ...value, headers: { from: 'bank' } }], never)
    }
    await this.pass(TRIED_AGAIN_MS)
  }

  pass(ms: number): Promise<void> {
    return this.time.advance(ms)
  }

  async grantByHand(amount: string, reference: string): Promise<void> {
    const { ledger } = this.#setting
    const grant = grantOperation(ledger, { actor: 'operator' })
    const terms = { category: 'paid', priority: 100, expires_at: null, reason: 'by hand' } as const
    await this.time.until(grant({ account_id: this.accountId, amount, reference, ...terms }))
  }

  async grants() {
    const events = await eventsOf(this.#setting.store, this.accountId)
    return events.filter(({ type }) => type === 'CreditGranted').map(({ data }) => data)
  }

  async deadLetters(): Promise<readonly ReceivedRecord[]> {
    if (!this.cluster.topics.has(DEAD)) return []
    const topic = await new MemoryBus(this.cluster).open({ name: DEAD, partitions: 1 })
    const letters: ReceivedRecord[] = []
    await topic.read((records) => void letters.push(...records), never)
    return letters
  }
}
