/** The books of a service that has come to rest: everything that must agree is looked at. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Operations } from '@svc/contracts/admin/operations'
import { parseDollars } from '@svc/contracts/money'
import type { ReceivedRecord } from '@svc/contracts/ports/bus'
import { balanceAnswer } from '@svc/contracts/wire/billing'
import { KafkaBus } from '@svc/infra/bus/kafka/kafka-bus'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { SeenBalance, Sightings } from '@svc/testing/checker/sightings'
import { Audit, asClientAnswer } from '../../torture/audit.ts'
import type { Customer, ToldAnswer } from '../../torture/load.ts'
import { PARTITIONS, type Service, TOPIC } from './service.ts'

/** Well above all deadlines and pauses, on a busy machine too. */
const AT_REST_WITHIN_MS = 240_000
const LOOK_AGAIN_MS = 100

/** What was found besides problems. */
export interface Findings {
  readonly problems: readonly string[]
  readonly events: number
  readonly records: number
  /** That were sent a second time, as is allowed. */
  readonly doubled: number
}

/** Of one service, from its start on. */
export class Books {
  readonly #service: Service
  readonly #audit = new Audit()

  constructor(service: Service) {
    this.#service = service
  }

  /**
   * Waits until nothing runs any more, then looks.
   *
   * @param told every answer that a client has read to its end since the service was started
   */
  async check(customers: readonly Customer[], told: readonly ToldAnswer[]): Promise<Findings> {
    const { projector } = this.#service
    await this.#untilAtRest()
    let records: readonly ReceivedRecord[] = []
    const see = async (): Promise<Sightings> => {
      await this.#untilAtRest()
      records = await this.#readFeed()
      return { feed: records, balances: await this.#balances(customers, told) }
    }
    const problems = await this.#audit.check(projector.operations, told.map(asClientAnswer), see)
    const feed = await checkFeed(this.#service.relay.operations)
    return {
      problems: [...problems, ...feed.problems, ...(await rebuildViews(projector.operations))],
      events: this.#audit.events,
      records: records.length,
      doubled: feed.doubled,
    }
  }

  /** @throws {Error} with what is still under way */
  async #untilAtRest(): Promise<void> {
    const deadline = performance.now() + AT_REST_WITHIN_MS
    for (;;) {
      const unrest = await this.#unrest().catch(String)
      if (unrest === undefined) return
      if (performance.now() > deadline) {
        throw new Error(`after ${AT_REST_WITHIN_MS} ms ${unrest}`)
      }
      await delay(LOOK_AGAIN_MS)
    }
  }

  async #unrest(): Promise<string | undefined> {
    const { gateways, projector, relay } = this.#service
    for (const role of [...gateways, projector, relay]) {
      if (!(await role.isReady())) return `${role.url} is not ready`
    }
    const { open_requests: open, projections } = await projector.operations.status()
    const behind = projections.find(({ position, head }) => position !== head)
    if (behind !== undefined) return `the view ${behind.name} is behind`
    if (open !== 0) return `${open} requests are open`
    const { feed } = await relay.operations.status()
    if (feed?.lag !== '0') return `the feed lags behind by ${feed?.lag}`
    return feed.problems.length > 0 ? `the feed has problems: ${feed.problems}` : undefined
  }

  async #readFeed(): Promise<readonly ReceivedRecord[]> {
    const bus = new KafkaBus({ brokers: this.#service.kafka.addresses, timer: systemTimer })
    try {
      const topic = await bus.open({ name: TOPIC, partitions: PARTITIONS })
      const records: ReceivedRecord[] = []
      await topic.read((read) => void records.push(...read), new AbortController().signal)
      return records
    } finally {
      await bus.close()
    }
  }

  /** As every gateway tells its customers: each has a memory of its own of the accounts. */
  async #balances(
    customers: readonly Customer[],
    told: readonly ToldAnswer[],
  ): Promise<readonly SeenBalance[]> {
    const asked = this.#service.gateways.flatMap(({ url }) =>
      customers.map(async ({ accountId, apiKey }): Promise<SeenBalance> => {
        const headers = { authorization: `Bearer ${apiKey}` }
        const answer = await fetch(`${url}/v1/balance`, { headers })
        const { settled, held } = balanceAnswer.parse(await answer.json())
        const own = told.filter((each) => each.accountId === accountId)
        return {
          accountId,
          settled: parseDollars(settled),
          held: parseDollars(held),
          after: own.map(({ requestId }) => requestId),
        }
      }),
    )
    return Promise.all(asked)
  }
}

/** As `svc feed check` does. */
async function checkFeed(operations: Operations) {
  for await (const line of operations.checkFeed()) {
    if (line.type !== 'result') continue
    const problems = line.findings.map(
      ({ key, missing, last_hash: hash }) =>
        `the feed of ${key} lacks ${missing} events, its last hash ${hash}`,
    )
    return { problems, doubled: line.doubled }
  }
  throw new Error('the check of the feed came to no result')
}

/** Each is built anew from the log beside the live one, and compared with it row by row. */
async function rebuildViews(operations: Operations): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { name } of await operations.listProjections()) {
    for await (const line of operations.rebuildProjection({ name })) {
      if (line.type !== 'result' || line.differences === 0) continue
      problems.push(`the view ${name} differs from a replay in ${line.differences} rows`)
    }
  }
  return problems
}
