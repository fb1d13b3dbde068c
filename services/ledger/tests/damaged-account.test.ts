/**
 * An account whose stream is damaged for a while: whatever is asked of it meanwhile, here or by the
 * next process, nothing is written, and when the stream is whole again its money is what it would
 * be if nobody had asked.
 */
import { accountStream } from '@svc/contracts/events/account'
import { encodeEvent } from '@svc/contracts/events/codec'
import { eventId } from '@svc/contracts/ids'
import { type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import type { Quarantine, StreamDamage } from '@svc/contracts/ports/quarantine'
import { MemoryEventStore, MemoryLog } from '@svc/infra/event-store/memory/memory-event-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import {
  ENDS_WITHIN_MS,
  ending,
  type LedgerSetting,
  openFunded,
  openLedger,
  payment,
  request,
} from '@svc/testing/ledger/open-ledger'
import { gatewayId } from '@svc/testing/ledger/sample'
import { ManualTime } from '@svc/testing/manual-time'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inspectStream } from '../src/inspect-stream.ts'
import { Sweeper } from '../src/sweeper.ts'

const CREDIT = 1_000n
/** Of a request for 10 prompt tokens and at most 10 output tokens. */
const HOLD = 50n
const RUNS = 60

type Step = { readonly kind: 'accept' | 'settle' | 'fail' | 'grant' | 'balance' }

const step = fc.record<Step>({
  kind: fc.constantFrom('accept', 'accept', 'settle', 'settle', 'fail', 'grant', 'balance'),
})

class NotedStreams implements Quarantine {
  readonly damaged = new Map<string, StreamDamage>()
  list = () => [...this.damaged.values()]
  noted = () => this.list()
  find = (stream: string) => this.damaged.get(stream)
  note(damage: StreamDamage): void {
    this.damaged.set(damage.stream, damage)
  }
}

const foreign = (stream: string, revision: number, position: bigint): RecordedEvent => ({
  stream,
  revision,
  position,
  type: 'CreditConjured',
  data: '{}',
  metadata: '{}',
  id: '00000000-0000-4000-8000-000000000000',
  hash: 'ab'.repeat(32),
})

async function world() {
  const log = new MemoryLog()
  const parts = {
    store: new MemoryEventStore(log),
    snapshots: new MemorySnapshotStore(),
    time: new ManualTime(),
    quarantine: new NotedStreams(),
  }
  let setting: LedgerSetting = await openLedger(parts)
  const { accountId, keyId } = await openFunded(setting, CREDIT)
  const stream = accountStream(accountId)
  const running: string[] = []
  const own = () => log.streams.get(stream) ?? []
  return {
    log,
    parts,
    stream,
    running,
    accountId,
    own,
    ledger: () => setting.ledger,
    async take({ kind }: Step): Promise<void> {
      const { ledger } = setting
      if (kind === 'balance') await ledger.balance(accountId)
      if (kind === 'grant') await ledger.administration.grant(accountId, payment(10n))
      if (kind === 'accept') {
        const { requestId, durable } = await ledger.accept(accountId, request(setting, keyId))
        await durable
        running.push(requestId)
      }
      const [requestId] = running
      if (requestId === undefined) return
      if (kind === 'settle') await ledger.settle(accountId, ending(requestId))
      if (kind === 'fail') await ledger.fail(accountId, requestId, 'worker_failed')
      if (kind === 'settle' || kind === 'fail') running.shift()
    },
    damage(): void {
      const event = foreign(stream, own().length, BigInt(log.all.length))
      own().push(event)
      log.all.push(event)
    },
    repair(): void {
      own().pop()
      log.all.pop()
    },
    async restart(): Promise<void> {
      await setting.ledger.close()
      setting = await openLedger(parts)
    },
  }
}

test('what is asked of a damaged account changes nothing, and nothing of it is lost', async () => {
  const steps = fc.array(step, { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, fc.boolean(), async (before, during, after, restarts) => {
      const [damaged, spared] = [await world(), await world()]
      for (const each of before) await Promise.all([damaged.take(each), spared.take(each)])
      const written = damaged.own().length
      const open = [...damaged.running]
      damaged.damage()
      if (restarts) await damaged.restart()
      // The first to touch it finds the damage; a read from memory may come before that.
      await expect(damaged.take({ kind: 'grant' })).rejects.toMatchObject({
        code: 'account_damaged',
      })
      for (const each of during) {
        const isAsked = each.kind !== 'settle' && each.kind !== 'fail'
        if (!isAsked && damaged.running.length === 0) continue
        await expect(damaged.take(each)).rejects.toMatchObject({ code: 'account_damaged' })
      }
      expect(damaged.own()).toHaveLength(written + 1)
      expect(damaged.running).toEqual(open)
      const ports = { store: damaged.parts.store, timer: damaged.parts.time }
      expect(await inspectStream(ports, damaged.stream)).toMatchObject({ revision: written })

      damaged.repair()
      expect(await inspectStream(ports, damaged.stream)).toBeUndefined()
      damaged.parts.quarantine.damaged.clear()
      const balance = await damaged.ledger().balance(damaged.accountId)
      expect(balance.held).toBe(BigInt(open.length) * HOLD)
      for (const each of after) await Promise.all([damaged.take(each), spared.take(each)])
      const end = await damaged.ledger().balance(damaged.accountId)
      expect(end).toEqual(await spared.ledger().balance(spared.accountId))
      await damaged.restart()
      expect(await damaged.ledger().balance(damaged.accountId)).toEqual(end)
    }),
    { numRuns: RUNS },
  )
})

test('a request that could not end meanwhile frees its hold at the next sweep, once', async () => {
  const { ledger, parts, running, accountId, take, damage, repair, own } = await world()
  await take({ kind: 'accept' })
  await take({ kind: 'accept' })
  const [ended = '', goesOn = ''] = running
  const sweeper = new Sweeper({
    ledger: ledger(),
    clock: parts.time,
    steadyClock: parts.time,
    timer: parts.time,
    findRunning: () => {
      const row = { accountId, gatewayId, deadline: parts.time.nowMs() + ENDS_WITHIN_MS }
      return { rows: running.map((requestId) => ({ ...row, requestId })), next: undefined }
    },
    findEndedGrants: () => ({ rows: [], next: undefined }),
    longestRequestMs: ENDS_WITHIN_MS,
    isGone: () => false,
    gatewayId,
    reach: () => {},
  })
  damage()
  await expect(take({ kind: 'settle' })).rejects.toMatchObject({ code: 'account_damaged' })
  expect(await sweeper.sweep()).toBe(0)
  repair()
  parts.quarantine.damaged.clear()
  const before = own().length
  expect(await sweeper.sweep()).toBe(1)
  expect(own().slice(before)).toMatchObject([{ type: 'RequestAbandoned' }])
  expect(await ledger().balance(accountId)).toMatchObject({ settled: CREDIT, held: HOLD })
  const late = ledger().settle(accountId, ending(ended))
  await expect(late).rejects.toMatchObject({ code: 'conflict' })
  await ledger().settle(accountId, ending(goesOn))
  expect(await ledger().balance(accountId)).toMatchObject({ settled: CREDIT - HOLD, held: 0n })
})

test.each(['running', 'restarted'])(
  'an account that contradicts itself is set aside, though its chain is whole: %s',
  async (state) => {
    const { parts, stream, own, take, restart } = await world()
    const last = own().at(-1) as RecordedEvent
    const data = { grantId: 'grant_x', amount: 1n, balanceAfter: 0n, at: 0 }
    const origin = { correlationId: 'x', causationId: 'x', actor: 'somebody' }
    const wrong = encodeEvent(eventId('grant_x', 'x'), { type: 'CreditExpired', data }, origin)
    await parts.store.append({ stream, expected: last, events: [wrong] })
    if (state === 'restarted') await restart()
    const refusal = { code: 'account_damaged' }
    for (const kind of ['grant', 'accept', 'balance'] as const) {
      await expect(take({ kind })).rejects.toMatchObject(refusal)
    }
    expect(own()).toHaveLength(last.revision + 2)
    const cause = expect.stringContaining('grant_x does not have 1 left')
    expect(parts.quarantine.list()).toEqual([{ stream, revision: last.revision + 1, cause }])
    const ports = { store: parts.store, timer: parts.time }
    expect(await inspectStream(ports, stream)).toMatchObject({ cause })
  },
)

test('the prices of a damaged stream go on as they were known, over a restart too', async () => {
  const { log, parts, ledger, restart } = await world()
  const rates = { input: 20n, cachedInput: 10n, output: 30n }
  await ledger().pricing.publish({ model: 'svc-beta', rates })
  const known = ledger().pricing.published()
  const first = (log.streams.get('pricing') ?? [])[0] as RecordedEvent
  Object.assign(first, { data: 'garbage' })
  await restart()
  expect(ledger().pricing.published()).toEqual(known)
  expect(ledger().pricing.current('svc-beta')).toMatchObject(rates)
  expect(parts.quarantine.list()).toEqual([expect.objectContaining({ stream: 'pricing' })])
  const publication = ledger().pricing.publish({ model: 'svc-beta', rates })
  await expect(publication).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await parts.store.readAll({ after: START, limit: 100 })).toHaveLength(log.all.length)
})

test('kept prices that do not chain to what stands are not believed', async () => {
  const { log, parts, ledger, restart } = await world()
  const known = ledger().pricing.published()
  const rates = { input: 20n, cachedInput: 10n, output: 30n }
  await ledger().pricing.publish({ model: 'svc-beta', rates })
  const kept = parts.snapshots.load('pricing')
  if (kept === undefined) throw new Error('no prices are kept')
  parts.snapshots.save({ ...kept, state: kept.state.replaceAll('svc-beta', 'svc-gamma') })
  Object.assign((log.streams.get('pricing') ?? [])[1] as RecordedEvent, { type: 'CreditConjured' })
  await restart()
  expect(ledger().pricing.published()).toEqual(known)
})
