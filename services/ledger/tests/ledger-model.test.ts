/**
 * Two ledgers on one store that conflicts, loses answers and writes late; any requests, in any
 * order, at once. Whatever happened: the log is held against I1–I9, and against what callers were
 * told.
 */
import { START } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { check } from '@svc/testing/checker/check'
import type { ClientAnswer } from '@svc/testing/checker/history'
import { type FaultShares, seededFaults } from '@svc/testing/event-store/fault-plan'
import { FaultyEventStore } from '@svc/testing/event-store/faulty-event-store'
import {
  ending,
  type LedgerSetting,
  openFunded,
  openLedger,
  payment,
  request,
} from '@svc/testing/ledger/open-ledger'
import { sampleId } from '@svc/testing/ledger/sample'
import { ManualTime } from '@svc/testing/manual-time'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Ledger } from '../src/ledger.ts'

/** One customer's step, given to one of the two gateways. */
interface Step {
  readonly gateway: number
  readonly kind: 'finish' | 'fail' | 'die' | 'grant' | 'top up twice' | 'read'
  readonly promptTokens: number
  readonly maxOutputTokens: number
  readonly outputTokens: number
  /** Whether the step before it has to end first. */
  readonly isAlone: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  gateway: fc.nat(1),
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('finish' as const) },
    fc.constantFrom('fail', 'die', 'grant', 'top up twice', 'read'),
  ),
  promptTokens: fc.nat(40),
  maxOutputTokens: fc.integer({ min: 1, max: 40 }),
  outputTokens: fc.nat(50),
  isAlone: fc.boolean(),
})

const faults: FaultShares = {
  'fail-before': 0.1,
  'commit-then-unknown': 0.1,
  'commit-late': 0.1,
  conflict: 0.05,
  delay: 0.1,
}

interface World {
  readonly gateways: readonly LedgerSetting[]
  readonly accountId: string
  readonly keyId: string
  readonly told: ClientAnswer[]
}

async function takeStep(world: World, step: Step): Promise<void> {
  const gateway = world.gateways[step.gateway] as LedgerSetting
  const { accountId } = world
  if (step.kind === 'read') {
    const { settled, held, available } = await gateway.ledger.balance(accountId)
    expect(available).toBe(settled - held)
  } else if (step.kind === 'grant') {
    await gateway.ledger.administration.grant(accountId, payment(BigInt(step.promptTokens + 1)))
  } else if (step.kind === 'top up twice') {
    const topUp = payment(BigInt(step.promptTokens + 1), `payment-${step.promptTokens}`)
    const grants = await Promise.all(
      world.gateways.map(({ ledger }) => ledger.administration.grant(accountId, topUp)),
    )
    expect(new Set(grants.map(({ grantId }) => grantId)).size).toBe(1)
  } else {
    await liveRequest(world, gateway, step)
  }
}

async function liveRequest(world: World, gateway: LedgerSetting, step: Step): Promise<void> {
  const { ledger } = gateway
  const { promptTokens, maxOutputTokens, outputTokens } = step
  const asked = request(gateway, world.keyId, { promptTokens, maxOutputTokens })
  const { requestId } = asked
  try {
    const accepted = await ledger.accept(world.accountId, asked)
    await accepted.durable
  } catch (error) {
    const status = (error as { entry: { status: number } }).entry.status
    expect([402, 503]).toContain(status)
    world.told.push({ requestId, status, usage: null })
    return
  }
  if (step.kind === 'die') return
  if (step.kind === 'fail') return ledger.fail(world.accountId, requestId, 'broke')
  const settled = await ledger.settle(
    world.accountId,
    ending(requestId, { inputTokens: promptTokens, outputTokens }),
  )
  const [input, cached, output] = settled.lines.map(({ tokens }) => tokens)
  const usage = {
    inputTokens: input ?? -1,
    cachedInputTokens: cached ?? -1,
    outputTokens: output ?? -1,
  }
  world.told.push({ requestId, status: 200, usage })
}

/** Ends what the gateways left running, as the sweeper does. */
async function sweep(ledger: Ledger, accountId: string, store: MemoryEventStore): Promise<void> {
  const all = await store.readAll({ after: START, limit: 10_000 })
  for (const { type, data } of all) {
    if (type !== 'RequestAccepted') continue
    const { requestId } = JSON.parse(data) as { requestId: string }
    await ledger.abandon(accountId, requestId, 'left')
    expect(await ledger.abandon(accountId, requestId, 'left')).toBe(false)
  }
}

async function play(seed: number, policy: 'standard' | 'strict', steps: readonly Step[]) {
  const memory = new MemoryEventStore()
  const time = new ManualTime()
  const snapshots = new MemorySnapshotStore()
  const limits = { snapshotEveryEvents: 7, batchCommands: 5, waitMs: 2_000 }
  const store = new FaultyEventStore(memory, seededFaults(seed, faults))
  const gateways = [
    await openLedger({ store, time, snapshots, limits, gatewayId: sampleId('gw', 1) }),
    await openLedger({ store, time, snapshots, limits, gatewayId: sampleId('gw', 2) }),
  ]
  const [first] = gateways as [LedgerSetting]
  const customer = await openFunded(first, 150n, policy)
  const world: World = { gateways, ...customer, told: [] }

  let running: Promise<void>[] = []
  for (const each of steps) {
    if (each.isAlone) await time.until(Promise.all(running.splice(0)))
    running.push(takeStep(world, each))
  }
  await time.until(Promise.all(running))
  running = []
  // What was written late has arrived by now: the sweep sees all of it.
  await time.advance(60_000)
  const { ledger } = await openLedger({ store: memory, time })
  await sweep(ledger, customer.accountId, memory)
  const events = await memory.readAll({ after: START, limit: 10_000 })
  return { violations: check(world.told, events), events, world }
}

describe('any requests on two ledgers, with any faults of the store', () => {
  test('keep I1–I9, and what callers were told is what was debited', async () => {
    let debits = 0
    let underHeld = 0
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.constantFrom('standard' as const, 'strict' as const),
        fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }),
        async (seed, policy, steps) => {
          const { violations, events } = await play(seed, policy, steps)
          expect(violations).toEqual([])
          debits += events.filter(({ type }) => type === 'CreditDebited').length
          underHeld += events.filter(({ data }) => data.includes('"underHeld":true')).length
        },
      ),
      { numRuns: 60 },
    )
    // The histories must reach what they are about.
    expect(debits).toBeGreaterThan(100)
    expect(underHeld).toBeGreaterThan(10)
  })
})
