import {
  DamagedStreamError,
  StoreBusyError,
  StoreRewoundError,
} from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { listedFaults } from '@svc/testing/event-store/fault-plan'
import { FaultyEventStore } from '@svc/testing/event-store/faulty-event-store'
import {
  ending,
  eventsOf,
  openFunded,
  openLedger,
  payment,
  request,
} from '@svc/testing/ledger/open-ledger'
import { ManualTime } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { WatchedStore } from '../../testing/watched-store.ts'

async function openWatched(options: Parameters<typeof openLedger>[0] = {}, credit = 10_000n) {
  const store = new WatchedStore()
  const setting = { ...(await openLedger({ ...options, store })), store }
  const { accountId, keyId } = await openFunded(setting, credit)
  const accept = () => setting.ledger.accept(accountId, request(setting, keyId))
  return { ...setting, accountId, keyId, accept }
}

describe('group commit', () => {
  test('what arrives at once, and while an append is under way, is one append each', async () => {
    const { store, accept, time } = await openWatched()
    const before = store.appends.length
    const release = store.hold()
    const first = [accept(), accept(), accept()]
    await time.quiet()
    const second = [accept(), accept()]
    await time.quiet()
    release()
    await Promise.all([...first, ...second].map(async (accepted) => (await accepted).durable))
    expect(store.appends.slice(before).map(({ events }) => events.length)).toEqual([3, 2])
  })

  test('a request goes ahead when it is decided, and is durable later', async () => {
    const { store, accept, accountId, time } = await openWatched()
    const release = store.hold()
    const accepted = await accept()
    let isDurable = false
    const durable = accepted.durable.then(() => (isDurable = true))
    await time.quiet()
    expect(isDurable).toBe(false)
    expect(await eventsOf(store, accountId)).toHaveLength(3)
    release()
    await durable
    expect(await eventsOf(store, accountId)).toHaveLength(4)
  })

  test('a batch is bounded by commands and by events', async () => {
    const { store, accept, time } = await openWatched({ limits: { batchCommands: 4 } })
    const before = store.appends.length
    const all = Array.from({ length: 10 }, accept)
    await Promise.all(all.map(async (accepted) => (await accepted).durable))
    expect(store.appends.slice(before).map(({ events }) => events.length)).toEqual([4, 4, 2])

    const small = await openWatched({ time, limits: { batchEvents: 3 } })
    const start = small.store.appends.length
    const accepted = await Promise.all(Array.from({ length: 2 }, small.accept))
    await Promise.all(
      accepted.map(({ requestId }) => small.ledger.settle(small.accountId, ending(requestId))),
    )
    expect(small.store.appends.slice(start).map(({ events }) => events.length)).toEqual([2, 2, 2])
  })

  test('a full queue refuses commands, and lets the ends of requests in', async () => {
    const { ledger, store, accept, accountId, time } = await openWatched({
      limits: { queuedCommandsPerAccount: 3 },
    })
    const running = await accept()
    await running.durable
    const release = store.hold()
    const underWay = accept()
    await time.quiet()
    const queued = [accept(), accept(), accept()]
    await expect(accept()).rejects.toMatchObject({
      code: 'server_is_overloaded',
      retryAfterSeconds: 1,
    })
    const settled = ledger.settle(accountId, ending(running.requestId))
    release()
    await Promise.all([underWay, ...queued])
    expect(await settled).toMatchObject({ amount: 50n })
  })

  test('reaches its crash points in order', async () => {
    const reached: string[] = []
    const { accept } = await openWatched({ reach: (point) => reached.push(point) })
    reached.length = 0
    await (await accept()).durable
    expect(reached).toEqual(['accept.decided', 'append.before', 'append.after'])
  })
})

describe('another process', () => {
  async function openTwo(credit = 10_000n) {
    const store = new WatchedStore()
    const one = await openLedger({ store })
    const two = await openLedger({ store, time: one.time, gatewayId: 'gw_two' })
    return { store, one, two, ...(await openFunded(one, credit)) }
  }

  test('a lost race is decided again on the newest state', async () => {
    const { one, two, accountId, keyId, store } = await openTwo()
    await two.ledger.balance(accountId)
    const answers = [one, two, one, two].map(async (setting) => {
      const accepted = await setting.ledger.accept(accountId, request(setting, keyId))
      await accepted.durable
      return setting.ledger.settle(accountId, ending(accepted.requestId))
    })
    const settled = await one.time.until(Promise.all(answers))
    expect(settled.map(({ amount }) => amount)).toEqual([50n, 50n, 50n, 50n])
    expect(await one.time.until(one.ledger.balance(accountId))).toMatchObject({
      settled: 9_800n,
      held: 0n,
    })
    const types = (await eventsOf(store, accountId)).map(({ type }) => type)
    expect(types.filter((type) => type === 'CreditDebited')).toHaveLength(4)
  })

  test('a request that went ahead and is refused when decided again: durable rejects', async () => {
    const { one, two, accountId, keyId } = await openTwo()
    await two.ledger.balance(accountId)
    await one.ledger.administration.revokeKey(accountId, {
      keyId,
      reason: 'lost',
      actor: 'operator',
    })
    const accepted = await two.ledger.accept(accountId, request(two, keyId))
    expect(two.ledger.isRunning(accepted.requestId)).toBe(true)
    await expect(accepted.durable).rejects.toMatchObject({ code: 'invalid_api_key' })
    expect(two.ledger.isRunning(accepted.requestId)).toBe(false)
  })

  test('pitfall 30: a refusal is never given from an old state', async () => {
    const { one, two, accountId, keyId } = await openTwo(0n)
    await expect(two.ledger.accept(accountId, request(two, keyId))).rejects.toMatchObject({
      code: 'insufficient_quota',
    })
    await one.ledger.administration.grant(accountId, payment(100n))
    expect(await two.ledger.accept(accountId, request(two, keyId))).toMatchObject({ hold: 50n })
    expect(await one.ledger.balance(accountId)).toMatchObject({ held: 50n })
  })

  test('pitfall 25: a key revoked elsewhere is refused at once', async () => {
    const { one, two, accountId, keyId, secret } = await openTwo()
    await two.ledger.authenticate(secret)
    await one.ledger.administration.revokeKey(accountId, {
      keyId,
      reason: 'lost',
      actor: 'operator',
    })
    const accepted = await two.ledger.accept(accountId, request(two, keyId))
    await expect(accepted.durable).rejects.toMatchObject({ code: 'invalid_api_key' })
    await expect(two.ledger.authenticate(secret)).rejects.toMatchObject({ code: 'invalid_api_key' })
  })

  test('races lost too often are refused', async () => {
    const { store, accept } = await openWatched({ limits: { conflictsInARow: 3 } })
    store.failNext(...Array.from({ length: 4 }, () => ({ kind: 'conflict' }) as const))
    const accepted = await accept()
    await expect(accepted.durable).rejects.toMatchObject({ code: 'store_unavailable' })
    await (await accept()).durable
  })
})

describe('a store that does not take it', () => {
  test.each([
    ['busy', new StoreBusyError(), 'store_unavailable'],
    ['broken', new Error('disk'), 'store_unavailable'],
    ['rewound', new StoreRewoundError('it is empty'), 'store_rewound'],
    ['damaged', new DamagedStreamError('account-1', 'it was deleted'), 'account_damaged'],
    ['handed nonsense', new RangeError('nonsense'), 'internal_error'],
  ])('%s: the command is refused, and nothing of it is left', async (_name, error, code) => {
    const { ledger, store, accept, accountId } = await openWatched()
    store.failNext(error)
    const accepted = await accept()
    await expect(accepted.durable).rejects.toMatchObject({ code })
    expect(ledger.isRunning(accepted.requestId)).toBe(false)
    expect(await ledger.balance(accountId)).toMatchObject({ settled: 10_000n, held: 0n })
    await (await accept()).durable
  })

  test('pitfall 5: a settlement that was refused can be sent again, and is debited once', async () => {
    const { ledger, store, accept, accountId } = await openWatched()
    const { requestId, durable } = await accept()
    await durable
    store.failNext(new StoreBusyError())
    const refused = ledger.settle(accountId, ending(requestId))
    await expect(refused).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(ledger.isRunning(requestId)).toBe(true)
    expect(await ledger.settle(accountId, ending(requestId))).toMatchObject({ amount: 50n })
    expect(await ledger.balance(accountId)).toMatchObject({ settled: 9_950n, held: 0n })
  })
})

describe('pitfall 22: an append of which nobody knows the outcome', () => {
  test.each(['fail-before', 'commit-then-unknown', 'commit-late'] as const)(
    '%s: is sent again as it was, until it is known, and is there once',
    async (fault) => {
      const memory = new MemoryEventStore()
      const funded = await openLedger({ store: memory })
      const { accountId, keyId } = await openFunded(funded, 1_000n)
      const store = new FaultyEventStore(memory, listedFaults(fault, 'fail-before', fault))
      const setting = await openLedger({ store, time: funded.time })
      const accepted = await setting.ledger.accept(accountId, request(setting, keyId))
      await setting.time.until(accepted.durable)
      const settled = setting.ledger.settle(accountId, ending(accepted.requestId))
      expect(await setting.time.until(settled)).toMatchObject({ amount: 50n })
      expect((await eventsOf(memory, accountId)).slice(3).map(({ type }) => type)).toEqual([
        'RequestAccepted',
        'TokensMetered',
        'CreditDebited',
      ])
    },
  )

  test('the same events at the same revision are sent, and nothing else meanwhile', async () => {
    const { store, accept, time } = await openWatched()
    const before = store.appends.length
    store.always = { kind: 'unknown', cause: new Error('no answer') }
    const first = await accept()
    await time.advance(1_000)
    const second = accept()
    await time.advance(1_000)
    const sent = store.appends.slice(before)
    expect(sent.length).toBeGreaterThan(3)
    for (const append of sent) expect(append).toEqual(sent[0])
    store.always = undefined
    await time.until(first.durable)
    await (await second).durable
  })

  test('for too long: callers are told, the account is parked, and the log decides', async () => {
    const { ledger, store, accept, accountId, time } = await openWatched({
      limits: { unknownOutcomeMs: 2_000 },
    })
    store.always = { kind: 'unknown', cause: new Error('no answer') }
    const accepted = await accept()
    await time.advance(100)
    const queued = accept()
    queued.catch(() => {})
    await time.advance(2_000)
    await expect(accepted.durable).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(queued).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(accept()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(ledger.isRunning(accepted.requestId)).toBe(false)
    // The append was given up by its callers, not by the writer: it becomes durable after all.
    store.always = undefined
    await time.advance(10_000)
    expect(await ledger.balance(accountId)).toMatchObject({ held: 50n })
    expect(await ledger.abandon(accountId, accepted.requestId, 'given up')).toBe(true)
  })

  test.each([
    ['before', 1_000],
    ['after', 3_000],
  ])('a stop %s the callers were told gives it up, and refuses what comes', async (_when, ms) => {
    const { ledger, store, accept, time } = await openWatched({
      limits: { unknownOutcomeMs: 2_000 },
    })
    store.always = { kind: 'unknown', cause: new Error('no answer') }
    const accepted = await accept()
    accepted.durable.catch(() => {})
    await time.advance(ms)
    const closing = ledger.close()
    await expect(accept()).rejects.toMatchObject({ code: 'shutting_down' })
    await time.until(closing)
    await expect(accepted.durable).rejects.toMatchObject({ code: 'store_unavailable' })
    const sent = store.appends.length
    await time.advance(60_000)
    expect(store.appends).toHaveLength(sent)
  })

  test('a rejection after it settles nothing', async () => {
    const { store, accept, time } = await openWatched()
    const unknown = { kind: 'unknown', cause: new Error('no answer') } as const
    store.failNext(unknown, new StoreBusyError(), unknown)
    const accepted = await accept()
    await time.until(accepted.durable)
  })
})

/** A timer that breaks its promise: what was cancelled runs all the same. */
class DeafTime extends ManualTime {
  override after(delayMs: number, run: () => void): () => void {
    super.after(delayMs, run)
    return () => {}
  }
}

describe('a transition that is not drawn', () => {
  test('is refused: a bound that goes off after its append does not park the account', async () => {
    const time = new DeafTime()
    const { store, accept } = await openWatched({ time, limits: { unknownOutcomeMs: 2_000 } })
    store.failNext({ kind: 'unknown', cause: new Error('no answer') })
    const accepted = await accept()
    await time.until(accepted.durable)
    await expect(time.advance(2_000)).rejects.toThrow('a writer cannot go from idle to parked')
    await (await accept()).durable
  })
})
