/** The Merkle tree over the log, as a view keeps it. */
import { isConsistent, isIncluded, leafHash, nodeHash } from '@svc/contracts/evidence/merkle-tree'
import type { EventStore, RecordedEvent } from '@svc/contracts/ports/event-store'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'
import { inBatchesOf, viewsOf } from '../testing/open-views.ts'

/**
 * The sizes of trees: two levels, and both sides of a tile. More than a tile of 256 tiles would
 * need minutes here.
 */
const SIZES = [3, 4, 255, 256, 257, 511, 512, 513, 700]

test.each([1, 7, 250])(
  'in batches of %i every event is in the tree, at its place',
  async (batch) => {
    const store = new MemoryEventStore()
    const folder = temporaryFolder()
    const account = newAccount()
    const leaves: Buffer[] = []
    for (const size of SIZES) {
      await growTo(store, account, size)
      const views = await viewsOf(inBatchesOf(batch, store), folder)
      const events = await allEvents(store)
      leaves.splice(0, Infinity, ...events.map(({ hash }) => leafHash(Buffer.from(hash, 'hex'))))
      const { treeSize, treeRoot, leafOf, inclusionProof, consistencyProof } = views.views
      const last = events.at(-1)
      if (last === undefined) throw new Error('no event')
      expect(treeSize()).toBe(size)
      const root = treeRoot(size)
      expect(Buffer.from(root)).toEqual(rootOver(leaves))
      for (const [index, event] of events.entries()) {
        expect(leafOf(event)).toBe(index)
        if (index % 37 !== 0 && index !== size - 1) continue
        const proof = inclusionProof(index, size)
        const leaf = leaves[index] ?? Buffer.alloc(0)
        expect(isIncluded({ leaf, index, size, root, proof })).toBe(true)
      }
      for (const first of SIZES.filter((known) => known <= size)) {
        const proof = consistencyProof(first, size)
        const claim = { first, second: size, firstRoot: rootOver(leaves.slice(0, first)), proof }
        expect(isConsistent({ ...claim, secondRoot: root })).toBe(true)
      }
      await views.close()
    }
  },
)

test('an event whose hash is not what it was is no leaf, and one that comes later none yet', async () => {
  const store = new MemoryEventStore()
  await growTo(store, newAccount(), 300)
  const { leafOf, inclusionProof, consistencyProof } = (await viewsOf(store)).views
  const event = (await allEvents(store))[270]
  if (event === undefined) throw new Error('no event')
  expect(() => leafOf({ ...event, hash: '00'.repeat(32) })).toThrow('is not what it was')
  expect(leafOf({ ...event, position: 10_000n })).toBeUndefined()
  expect(() => inclusionProof(0, 301)).toThrow(RangeError)
  expect(() => inclusionProof(300, 300)).toThrow(RangeError)
  expect(() => consistencyProof(10, 301)).toThrow(RangeError)
  expect(() => consistencyProof(11, 10)).toThrow(RangeError)
})

test('a rebuild comes to the same tree', async () => {
  const store = new MemoryEventStore()
  await growTo(store, newAccount(), 600)
  const views = await viewsOf(store)
  const root = views.views.treeRoot(600)
  const { differences } = await views.rebuild('evidence', () => {})
  expect(differences).toBe(0)
  expect(views.views.treeRoot(600)).toEqual(root)
})

/** An account has three events when it is opened. */
function newAccount(): AccountHistory {
  return new AccountHistory('Ada').open()
}

async function growTo(store: EventStore, account: AccountHistory, size: number): Promise<void> {
  for (let next = Number((await store.lastPosition()) + 1n); next + 3 < size; next += 1) {
    account.key(`${next}`)
  }
  await account.writeTo(store)
  const missing = size - Number((await store.lastPosition()) + 1n)
  for (let next = 0; next < missing; next += 1) account.key(`${size} ${next}`)
  await account.writeTo(store)
}

async function allEvents(store: EventStore): Promise<readonly RecordedEvent[]> {
  return store.readAll({ after: -1n, limit: 10_000 })
}

function rootOver(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves
  if (first === undefined) throw new Error('no leaf')
  if (leaves.length === 1) return first
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeHash(rootOver(leaves.slice(0, split)), rootOver(leaves.slice(split)))
}
