/** What every snapshot store must do. */
import type { Snapshot, SnapshotStore } from '@svc/contracts/ports/snapshot-store'
import { describe, expect, test } from 'vitest'

export function snapshotOf(stream: string, revision = 7, state = '{"balance":"1"}'): Snapshot {
  return { stream, head: { revision, hash: 'ab'.repeat(32) }, schema: 'account-1', state }
}

export function describeSnapshotStore(name: string, makeStore: () => SnapshotStore): void {
  describe(`${name} as a snapshot store`, () => {
    const withStore = (use: (store: SnapshotStore) => void): void => {
      const store = makeStore()
      try {
        use(store)
      } finally {
        store.close()
      }
    }

    test('gives back what was saved last', () =>
      withStore((store) => {
        expect(store.load('account-1')).toBeUndefined()
        expect(store.save(snapshotOf('account-1', 3))).toBe(true)
        expect(store.save(snapshotOf('account-2', 4, '"Grüße 🦀 \\u0000"'))).toBe(true)
        expect(store.save(snapshotOf('account-1', 9, '{"balance":"2"}'))).toBe(true)
        expect(store.load('account-1')).toEqual(snapshotOf('account-1', 9, '{"balance":"2"}'))
        expect(store.load('account-2')).toEqual(snapshotOf('account-2', 4, '"Grüße 🦀 \\u0000"'))
        expect(store.load('account-3')).toBeUndefined()
      }))

    test('tells which heads it knows, page by page', () =>
      withStore((store) => {
        for (const stream of ['b', 'a', 'd', 'c']) store.save(snapshotOf(stream, 3))
        const { head } = snapshotOf('a', 3)
        expect(store.heads('', 3)).toEqual(['a', 'b', 'c'].map((stream) => ({ stream, head })))
        expect(store.heads('c', 3)).toEqual([{ stream: 'd', head }])
        expect(store.heads('d', 3)).toEqual([])
      }))

    test('forgets all when it is told to', () =>
      withStore((store) => {
        for (const stream of ['a', 'b']) store.save(snapshotOf(stream, 3))
        store.clear()
        expect(store.load('a')).toBeUndefined()
        expect(store.heads('', 3)).toEqual([])
        expect(store.save(snapshotOf('a', 4))).toBe(true)
        expect(store.load('a')).toEqual(snapshotOf('a', 4))
      }))

    test('is closed once, however often it is asked', () =>
      withStore((store) => {
        store.close()
        store.close()
      }))
  })
}
