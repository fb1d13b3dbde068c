/**
 * EventStoreDB dies and freezes, over and over, under a ledger with 32 busy accounts. Whatever was
 * in flight then was written or not; afterwards every request has ended as its caller was told,
 * nothing is there twice, and somebody who followed the log has seen each event once. The runner of
 * `npm run test:eventstore` asks for 50 rounds of each (`SVC_CRASH_ROUNDS`).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Random } from '@svc/testing/random'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { heapInUse } from './heap.ts'
import { LoadedLedger } from './loaded-ledger.ts'
import {
  isBreakable,
  isFreezable,
  type StoreUnderTest,
  type Switches,
  startStoreUnderTest,
} from './store-under-test.ts'

const ACCOUNTS = 32
const ROUNDS = Number(process.env.SVC_CRASH_ROUNDS ?? 15)
/** By then caches are filled and code is compiled. */
const WARM_ROUNDS = Math.ceil(ROUNDS / 3)
/** What the test itself keeps of some thousand requests is a fifth of it. */
const HEAP_GROWTH_BYTES_MAX = 10 * 1024 * 1024
const LIFECYCLES_BETWEEN = 40
const LIFECYCLES_WITHOUT_FAULT = 1_000
const LOAD_MS_MAX = 100
const DOWN_MS_MAX = 120
const FROZEN_MS_MAX = 150
/** Every so-many-th freeze outlasts the timers of the adapter, three in a row. */
const LONG_FREEZE_EVERY = 10
const TIMEOUT_MS = 1_000
const LONG_FREEZE_MS = 3_500
const CALLS_END_WITHIN_MS = 10_000
const LOOK_AGAIN_MS = 20
/** A real server needs seconds to start; the double takes half a minute for all rounds. */
const ROUNDS_WITHIN_MS = 600_000

const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000)
let store: StoreUnderTest

beforeEach(async () => {
  store = await startStoreUnderTest(seed)
})
afterEach(() => store.stop())

describe(`a ledger on EventStoreDB with 32 busy accounts (SVC_TEST_SEED=${seed})`, () => {
  test('keeps its books', async () => {
    const random = new Random(seed)
    const ledger = await LoadedLedger.start({ url: store.url, accounts: ACCOUNTS, random })
    await ledger.progress(LIFECYCLES_WITHOUT_FAULT)
    expect(await ledger.audit()).toEqual([])
    expect(ledger.load.refused.size).toBe(0)
  })

  const timeout = ROUNDS_WITHIN_MS
  describe.skipIf(!isBreakable)('[on a store that the test may break]', { timeout }, () => {
    test(`keeps its books over ${ROUNDS} kills of the server`, async () => {
      await keepsItsBooks(async (switches, random) => {
        await switches.kill()
        await delay(random.integer(DOWN_MS_MAX))
        await switches.restart()
      })
    })

    test.runIf(isFreezable)(`keeps its books over ${ROUNDS} freezes of the server`, async () => {
      await keepsItsBooks(async (switches, random, round) => {
        await switches.freeze()
        const isLong = round % LONG_FREEZE_EVERY === 0
        await delay(isLong ? LONG_FREEZE_MS : random.integer(FROZEN_MS_MAX))
        await switches.thaw()
      })
    })
  })
})

type Fault = (switches: Switches, random: Random, round: number) => Promise<void>

async function keepsItsBooks(fault: Fault): Promise<void> {
  const { switches } = store
  if (switches === undefined) throw new Error('this store cannot be broken')
  const random = new Random(seed)
  const ledger = await LoadedLedger.start({
    url: store.url,
    accounts: ACCOUNTS,
    random,
    timeoutMs: TIMEOUT_MS,
  })
  let warmBytes = 0
  for (let round = 1; round <= ROUNDS; round += 1) {
    await ledger.progress(LIFECYCLES_BETWEEN)
    await delay(random.integer(LOAD_MS_MAX))
    await fault(switches, random, round)
    if (round === WARM_ROUNDS) warmBytes = await heapInUse()
  }
  await ledger.progress(LIFECYCLES_BETWEEN)
  const grownBytes = (await heapInUse()) - warmBytes
  expect(await ledger.audit()).toEqual([])
  expect(ledger.unknownOutcomes).toBeGreaterThan(ROUNDS)
  expect(ledger.follower.interruptions).toBe(0)
  expect(grownBytes).toBeLessThan(HEAP_GROWTH_BYTES_MAX)
  expect(await callsLeft()).toBe(0)
}

/** Calls that are open although nobody uses the store any more. */
async function callsLeft(): Promise<number> {
  const deadline = performance.now() + CALLS_END_WITHIN_MS
  for (;;) {
    const open = (await store.openCalls()) ?? 0
    if (open === 0 || performance.now() > deadline) return open
    await delay(LOOK_AGAIN_MS)
  }
}
