import { NO_STREAM, START, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { describe, expect, test } from 'vitest'
import { type GetBench, newEvents, readWholeLog } from './fixtures.ts'

export function describeClosing(bench: GetBench): void {
  describe('closing', () => {
    test('waits for the appends in flight', async () => {
      const { store } = bench()
      const appends = Array.from({ length: 100 }, (_, at) =>
        store.append({ stream: `account-${at}`, expected: NO_STREAM, events: newEvents(3) }),
      )
      const settled: string[] = []
      for (const append of appends) void append.then(({ kind }) => settled.push(kind))
      await store.close()
      expect(settled).toEqual(Array(100).fill('appended'))
      expect(await readWholeLog(await bench().reopen())).toHaveLength(300)
    })

    test('again changes nothing', async () => {
      const { store } = bench()
      await Promise.all([store.close(), store.close()])
      await store.close()
    })

    test('ends all work', async () => {
      const { store } = bench()
      const closed = store.close()
      const append = store.append({ stream: 'a', expected: NO_STREAM, events: newEvents(1) })
      await expect(append).rejects.toThrow(StoreUnavailableError)
      await closed
      await expect(store.readAll({ after: START, limit: 1 })).rejects.toThrow(StoreUnavailableError)
      expect(await readWholeLog(await bench().reopen())).toEqual([])
    })
  })
}
