import { accountStream } from '@svc/contracts/events/account'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Snapshot } from '@svc/contracts/ports/snapshot-store'
import { MemorySnapshotStore } from '@svc/infra/snapshot-store/memory/memory-snapshot-store'
import { ending, openFunded, openLedger, payment, request } from '@svc/testing/ledger/open-ledger'
import {
  accept,
  accountId,
  grant,
  granted,
  keyCreated,
  opened,
  settle,
} from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../testing/decider-specification.ts'
import { WatchedStore } from '../../testing/watched-store.ts'
import { SNAPSHOT_SCHEMA, snapshotOf, stateOfSnapshot } from './snapshots.ts'

const head = { revision: 7, hash: 'f'.repeat(64) }
const idempotency = { keyHash: 'k', bodyHash: 'b' }
const rich = given(
  history(
    opened(),
    keyCreated({ expiresAt: START_MS + 9 }),
    granted(1, 100n, { expiresAt: START_MS + 5, reference: 'payment-1' }),
    grant(2, 80n, { priority: 3 }),
    accept(1),
    settle(1),
    accept(2, { idempotency }),
    accept(3, { maxOutputTokens: 99 }),
  ),
).state

describe('a snapshot', () => {
  test('gives back the state, to the last digit and in the same order', () => {
    const snapshot = snapshotOf(accountStream(accountId), head, rich)
    const restored = stateOfSnapshot(snapshot)
    expect(restored).toEqual(rich)
    expect([...(restored?.grants.keys() ?? [])]).toEqual([...rich.grants.keys()])
  })

  test('whose text changes needs another schema name', () => {
    const { schema, state } = snapshotOf(accountStream(accountId), head, rich)
    expect({ schema, state: JSON.parse(state) }).toMatchSnapshot()
  })

  test('that does not add up is no state', () => {
    const snapshot = snapshotOf(accountStream(accountId), head, rich)
    const broken: Partial<Snapshot>[] = [
      { schema: `${SNAPSHOT_SCHEMA}-older` },
      { state: '' },
      { state: '{}' },
      { state: 'null' },
      { state: snapshot.state.replace('"balance":"130"', '"balance":"131"') },
      { state: snapshot.state.replace('"held":', '"held":"1","was":') },
      { stream: 'account-other' },
    ]
    for (const change of broken) {
      expect({ ...snapshot, ...change }).not.toEqual(snapshot)
      expect(stateOfSnapshot({ ...snapshot, ...change })).toBeUndefined()
    }
  })
})

describe('an account that is loaded', () => {
  async function writeHistory() {
    const store = new WatchedStore()
    const snapshots = new MemorySnapshotStore()
    const setting = await openLedger({ store, snapshots, limits: { snapshotEveryEvents: 10 } })
    const { accountId: id, keyId } = await openFunded(setting, 1_000n)
    for (let index = 0; index < 8; index += 1) {
      const { requestId, durable } = await setting.ledger.accept(id, request(setting, keyId))
      await durable
      await setting.ledger.settle(id, ending(requestId, { outputTokens: index }))
    }
    const stream = accountStream(id)
    return { setting, store, snapshots, id, stream, balance: await setting.ledger.balance(id) }
  }

  async function balanceWith(store: EventStore, id: string, ...saved: readonly Snapshot[]) {
    const snapshots = new MemorySnapshotStore()
    for (const snapshot of saved) snapshots.save(snapshot)
    const { ledger } = await openLedger({ store, snapshots })
    const summary = await ledger.account(id)
    await ledger.administration.grant(id, payment(1n))
    return summary
  }

  test('is saved as it grows, and read on from there', async () => {
    const { store, snapshots, stream, id } = await writeHistory()
    const snapshot = snapshots.load(stream)
    expect(snapshot?.head.revision).toBeGreaterThan(9)
    const before = store.reads.length
    await balanceWith(store, id, ...(snapshot === undefined ? [] : [snapshot]))
    const reads = store.reads.slice(before).filter((read) => read.stream === stream)
    expect(reads[0]).toMatchObject({ from: snapshot?.head.revision, limit: 1 })
    expect(reads[1]).toMatchObject({ from: (snapshot?.head.revision ?? 0) + 1 })
  })

  test('pitfall 30: no snapshot, a true one, and any wrong one give the same account', async () => {
    const { setting, store, snapshots, id, stream, balance } = await writeHistory()
    await setting.ledger.close()
    const snapshot = snapshots.load(stream)
    if (snapshot === undefined) throw new Error('there is no snapshot')
    const summary = await balanceWith(store, id)
    expect(balance).toMatchObject(summary.balance)
    const { revision, hash } = snapshot.head
    const candidates: Snapshot[] = [
      snapshot,
      { ...snapshot, schema: 'account-state/0' },
      { ...snapshot, state: 'garbage' },
      { ...snapshot, head: { revision, hash: '0'.repeat(64) } },
      { ...snapshot, head: { revision: revision - 1, hash } },
      { ...snapshot, head: { revision: revision + 1_000, hash } },
      { ...snapshot, head: { revision: -1, hash } },
    ]
    let settled = summary.balance.settled
    for (const candidate of candidates) {
      settled += 1n
      expect((await balanceWith(store, id, candidate)).balance.settled).toBe(settled)
    }
  })
})
