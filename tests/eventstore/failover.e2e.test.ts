/**
 * Customers of a gateway whose store goes away under them and comes back, as when the leader of a
 * cluster dies and the next one is elected: their requests take longer, and none is refused.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { secretOf } from '@svc/testing/made-key'
import { Random } from '@svc/testing/random'
import { startRunningServer } from '@svc/testing/running-server'
import { withoutModel } from '@svc/testing/without-model'
import { expect, onTestFinished, test } from 'vitest'
import { Audit, asClientAnswer } from '../torture/audit.ts'
import { type Customer, type LoadHistory, runLoad } from '../torture/load.ts'
import { newPrefix } from './server-story.ts'
import { isBreakable, startStoreUnderTest } from './store-under-test.ts'

const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000)
const CLIENTS = 64
const CUSTOMERS = 16
/** Longer than an election was ever seen to take. */
const AWAY_MS = 5_000
/** As many before as after the store was away. */
const ANSWERS = 2 * CLIENTS
const ANSWERS_MS_MAX = 60_000
const TEST_MS_MAX = 180_000

test.runIf(isBreakable)(
  `no customer is refused while the store is away for five seconds (seed ${seed}) [where the store may be killed]`,
  async () => {
    const store = await startStoreUnderTest(seed)
    onTestFinished(() => store.stop())
    const { baseUrl, operations, server } = await startGateway(store.url)
    const customers = await openCustomers(operations)
    const history: LoadHistory = { told: [], unanswered: [], statuses: new Map() }
    const ending = new AbortController()
    const random = new Random(seed)
    const { signal } = ending
    const load = runLoad({ baseUrl, customers, clients: CLIENTS, random, history, signal })
    const untilTold = (count: number) =>
      expect.poll(() => history.told.length, { timeout: ANSWERS_MS_MAX }).toBeGreaterThan(count)
    await untilTold(ANSWERS)
    await store.switches?.kill()
    await delay(AWAY_MS)
    await store.switches?.restart()
    await untilTold(history.told.length + ANSWERS)
    ending.abort()
    await load
    expect([...history.statuses.keys()]).toEqual([200])
    expect(await new Audit().check(operations, history.told.map(asClientAnswer))).toEqual([])
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  },
  TEST_MS_MAX,
)

async function startGateway(storeUrl: string) {
  const { ready, operations, process } = await startRunningServer({
    EVENTSTORE_URL: storeUrl,
    SVC_EVENTSTORE_PREFIX: newPrefix(),
    ...(await withoutModel({ tokens: 8, delayMs: 2 })),
    SVC_REQUEST_LOG: 'off',
  })
  return { baseUrl: ready.baseUrl, operations, server: process }
}

type Operations = Awaited<ReturnType<typeof startRunningServer>>['operations']

/** More accounts than one, so that reads are under way when the store goes. */
function openCustomers(operations: Operations): Promise<Customer[]> {
  const open = async (_: unknown, index: number): Promise<Customer> => {
    const name = `customer ${index}`
    const { account_id: accountId } = await operations.openAccount({
      name,
      spend_policy: 'standard',
    })
    await operations.grant({
      account_id: accountId,
      amount: '100',
      category: 'paid',
      priority: 0,
      expires_at: null,
      reference: name,
      reason: 'failover',
    })
    const key = await operations.createKey({ account_id: accountId, name, expires_at: null })
    return { accountId, apiKey: secretOf(key) }
  }
  return Promise.all(Array.from({ length: CUSTOMERS }, open))
}
