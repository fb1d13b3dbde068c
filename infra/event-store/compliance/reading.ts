import { BrokenChainError, type NewEvent, NO_STREAM, START } from '@svc/contracts/ports/event-store'
import { verifyChain } from '@svc/contracts/ports/hash-chain'
import { describe, expect, test } from 'vitest'
import {
  fillStream,
  type GetBench,
  idsOf,
  mustAppend,
  newEvent,
  newEvents,
  readWholeLog,
  readWholeStream,
} from './fixtures.ts'

const stream = 'account-1'

export function describeReading(bench: GetBench): void {
  describeStreams(bench)
  describeTexts(bench)
  describeWholeLog(bench)
  describeChain(bench)
}

function describeStreams(bench: GetBench): void {
  describe('a stream', () => {
    const read = async (direction: 'forwards' | 'backwards', limit: number, from?: number) => {
      const request =
        from === undefined ? { stream, direction, limit } : { stream, direction, limit, from }
      return (await bench().store.readStream(request)).map(({ revision }) => revision)
    }

    test('is read forwards from the start or a revision, up to a count', async () => {
      await fillStream(bench().store, stream, 7, { batch: 3 })
      expect(await read('forwards', 100)).toEqual([0, 1, 2, 3, 4, 5, 6])
      expect(await read('forwards', 3)).toEqual([0, 1, 2])
      expect(await read('forwards', 3, 3)).toEqual([3, 4, 5])
      expect(await read('forwards', 3, 6)).toEqual([6])
      expect(await read('forwards', 3, 7)).toEqual([])
      expect(await read('forwards', 3, 1_000)).toEqual([])
    })

    test('is read backwards from the end or a revision, up to a count', async () => {
      await fillStream(bench().store, stream, 7, { batch: 3 })
      expect(await read('backwards', 100)).toEqual([6, 5, 4, 3, 2, 1, 0])
      expect(await read('backwards', 1)).toEqual([6])
      expect(await read('backwards', 3, 4)).toEqual([4, 3, 2])
      expect(await read('backwards', 3, 0)).toEqual([0])
    })

    test('that does not exist is empty', async () => {
      expect(await read('forwards', 10)).toEqual([])
      expect(await read('forwards', 10, 5)).toEqual([])
      expect(await read('backwards', 10)).toEqual([])
    })

    test('holds no events of another stream', async () => {
      const { store } = bench()
      await fillStream(store, 'account-10', 2)
      await fillStream(store, 'account', 2)
      expect(await readWholeStream(store, stream)).toEqual([])
    })

    test.each([0, -1, 1.5, 10_001])('is not read %d at a time', async (limit) => {
      await expect(read('forwards', limit)).rejects.toThrow(RangeError)
      await expect(bench().store.readAll({ after: START, limit })).rejects.toThrow(RangeError)
      await expect(bench().store.readAllBackwards({ limit })).rejects.toThrow(RangeError)
    })
  })
}

function describeTexts(bench: GetBench): void {
  describe('an event', () => {
    const texts: readonly (readonly [string, string])[] = [
      ['spaces, order and number forms', ' { "b" : 1.50 ,\n\t"a":1e2, "b":2 } '],
      ['a number beyond 2^53', '{"amount":9007199254740993}'],
      ['an escaped NUL and control characters', '"\\u0000\\u0001\\u001f\u007f"'],
      ['half characters that are escaped', '"\\ud800"'],
      ['every plane of Unicode', '"Grüße, 世界, 🦀, e\u0301, \u2028\u2029\ufeff\uffff"'],
      ['one large text', JSON.stringify('ü🦀'.repeat(60_000))],
      ['no object', 'null'],
    ]

    test.each(texts)('comes back byte for byte: %s', async (_name, text) => {
      const events: NewEvent[] = [{ ...newEvent(text), metadata: text.length < 999 ? text : '{}' }]
      await mustAppend(bench().store, stream, NO_STREAM, events)
      const [stored] = await readWholeStream(await bench().reopen(), stream)
      expect(stored).toMatchObject(events[0] ?? {})
    })

    test('is found by its id, where ids are in an index', async () => {
      const [first, second] = [newEvent(), newEvent()]
      await mustAppend(bench().store, stream, NO_STREAM, [first, second])
      await mustAppend(bench().store, `${stream}-2`, NO_STREAM, [newEvent()])
      const store = await bench().reopen()
      if (store.eventOf === undefined) return
      const [, recorded] = await readWholeStream(store, stream)
      expect(await store.eventOf(second.id)).toEqual(recorded)
      expect(await store.eventOf(newEvent().id)).toBeUndefined()
    })

    test('may have any text as the name of its stream and type', async () => {
      const name = 'Grüße 🦀 %_\'"\\;--'
      const event = { ...newEvent(), type: name }
      await mustAppend(bench().store, name, NO_STREAM, [event])
      const store = await bench().reopen()
      expect(await readWholeStream(store, name)).toMatchObject([{ stream: name, type: name }])
      expect(await readWholeLog(store)).toEqual(await readWholeStream(store, name))
    })
  })
}

function describeWholeLog(bench: GetBench): void {
  describe('the whole log', () => {
    test('is read in the order of the appends, behind a position', async () => {
      const { store } = bench()
      const ids: string[] = []
      const heads = new Map<string, Awaited<ReturnType<typeof mustAppend>>['head']>()
      for (let turn = 0; turn < 30; turn += 1) {
        const name = `account-${turn % 4}`
        const events = newEvents(1 + (turn % 3))
        const { head } = await mustAppend(store, name, heads.get(name) ?? NO_STREAM, events)
        heads.set(name, head)
        ids.push(...idsOf(events))
      }
      const all = await readWholeLog(store)
      expect(idsOf(all)).toEqual(ids)
      expect(
        all.every(({ position }, at) => at === 0 || position > (all[at - 1]?.position ?? 0n)),
      ).toBe(true)
      for (const [at, { position }] of all.entries()) {
        const page = await store.readAll({ after: position, limit: 7 })
        expect(page).toEqual(all.slice(at + 1, at + 8))
      }
      expect(await store.lastPosition()).toBe(all.at(-1)?.position)
    })

    test('is read backwards from any event, or from the end', async () => {
      const { store } = bench()
      expect(await store.readAllBackwards({ limit: 1 })).toEqual([])
      await fillStream(store, 'account-1', 20)
      await fillStream(store, 'account-2', 20)
      const all = (await readWholeLog(store)).toReversed()
      expect(await store.readAllBackwards({ limit: 100 })).toEqual(all)
      expect(await store.readAllBackwards({ limit: 7 })).toEqual(all.slice(0, 7))
      for (const [at, { position: from }] of all.entries()) {
        const page = await store.readAllBackwards({ from, limit: 7 })
        expect(page).toEqual(all.slice(at, at + 7))
      }
    })

    test('is the same for who is told of the events of others', async () => {
      const { store } = bench()
      await fillStream(store, 'account-1', 30)
      const all = await readWholeLog(store)
      let passedOver = 0
      const onPassedOver = (events: number): void => {
        expect(events).toBeGreaterThan(0)
        passedOver += events
      }
      // Pages of one event: what is foreign before ours is searched through by the server.
      for (let after = START, at = 0; at <= all.length; at += 1) {
        const page = await store.readAll({ after, limit: 1, onPassedOver })
        expect(page).toEqual(all.slice(at, at + 1))
        after = page[0]?.position ?? after
      }
      expect(passedOver).toBeGreaterThanOrEqual(0)
    })

    test('keeps the order of concurrent appends of many streams', async () => {
      const { store } = bench()
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          mustAppend(store, `account-${at}`, NO_STREAM, newEvents(3)),
        ),
      )
      const all = await readWholeLog(store)
      expect(all).toHaveLength(150)
      const ends = all.filter(({ revision }) => revision === 2)
      expect(new Set(ends.map(({ position }) => position))).toEqual(
        new Set(outcomes.map(({ position }) => position)),
      )
    })

    test('is empty at first', async () => {
      expect(await bench().store.lastPosition()).toBe(START)
      expect(await readWholeLog(bench().store)).toEqual([])
    })
  })
}

function describeChain(bench: GetBench): void {
  describe('the chain of hashes', () => {
    test('links every event to the one before it', async () => {
      const { store } = bench()
      const head = await fillStream(store, stream, 10, { batch: 3 })
      expect(verifyChain(NO_STREAM, await readWholeStream(store, stream))).toEqual(head)
    })

    test('shows an altered event wherever a read meets it', async (context) => {
      const { store, tamper } = bench()
      if (tamper === undefined) return context.skip('this adapter has no way to alter an event')
      await fillStream(store, stream, 10)
      await fillStream(store, 'account-2', 10)
      await store.close()
      await tamper(stream, 4)

      const altered = await bench().reopen()
      const broken = new BrokenChainError(stream, 4)
      await expect(readWholeStream(altered, stream)).rejects.toThrow(broken)
      for (const from of [2, 4]) {
        const page = altered.readStream({ stream, direction: 'forwards', from, limit: 3 })
        await expect(page).rejects.toThrow(broken)
      }
      const newest = altered.readStream({ stream, direction: 'backwards', from: 6, limit: 3 })
      await expect(newest).rejects.toThrow(broken)
      expect(await readWholeStream(altered, 'account-2')).toHaveLength(10)
      expect(await readWholeLog(altered)).toHaveLength(20)
    })
  })
}
