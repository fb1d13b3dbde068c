/** What is seen beside the answers: the checker finds every breach that is planted in it. */
import type { DomainEvent } from '@svc/contracts/events/codec'
import type { ReceivedRecord } from '@svc/contracts/ports/bus'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { describe, expect, test } from 'vitest'
import { check } from './check.ts'
import {
  accepted,
  COST,
  counts,
  debited,
  failed,
  granted,
  logOf,
  metered,
  opened,
  published,
  revoked,
} from './event-log.ts'
import type { ClientAnswer } from './history.ts'
import type { Sightings } from './sightings.ts'
import type { Invariant } from './violation.ts'

const idempotency = { keyHash: 'k', bodyHash: 'b' }
const start = [published, opened(), granted(1000n, 1000n)]
const billed = (requestId: string, balanceAfter: bigint): readonly DomainEvent[] => [
  accepted(requestId, 300n, { idempotency }),
  metered(requestId),
  debited(requestId, balanceAfter),
]
const log = [...start, ...billed('req_1', 1000n - COST)]
const ACCOUNT = { accountId: 'acct_1' }

const found = (
  events: readonly RecordedEvent[],
  seen: Sightings,
  history: readonly ClientAnswer[] = [],
) => check(history, events, seen).map(({ invariant }) => invariant)

/** The feed as it should be, from a log with one account. */
function feedOf(events: readonly RecordedEvent[]): readonly ReceivedRecord[] {
  return events.map(({ id, stream, type, hash, revision, position, data }, at) => ({
    key: stream === 'pricing' ? 'pricing' : 'acct_1',
    value: data,
    headers: { id, type, hash, revision: `${revision}`, position: `${position}` },
    partition: 0,
    offset: BigInt(at),
  }))
}

describe('nothing is found', () => {
  const events = logOf(...log)
  const feed = feedOf(events)

  test('in what is true', () => {
    const held = { ...ACCOUNT, settled: 1000n, held: 300n, after: [] }
    const spent = { ...ACCOUNT, settled: 1000n - COST, held: 0n, after: ['req_1'] }
    const payments = [
      { ...ACCOUNT, amount: 1000n, isDue: true },
      { ...ACCOUNT, amount: 5n, isDue: false },
    ]
    const computed = new Map([['req_1', counts]])
    expect(found(events, { feed, payments, balances: [held, spent], computed })).toEqual([])
    const withKey = logOf(...start, revoked())
    expect(found(withKey, { revocations: [{ ...ACCOUNT, keyId: 'key_1' }] })).toEqual([])
  })

  test('in a feed with doubles, and in a key that is used again after a failure', () => {
    expect(found(events, { feed: [...feed, ...feed.slice(1)] })).toEqual([])
    const failure = [accepted('req_0', 300n, { idempotency }), failed('req_0')]
    const again = logOf(...start, ...failure, ...billed('req_1', 1000n - COST))
    const key = 'acct_1 k'
    const answers = [
      { requestId: 'req_0', status: 502, usage: null, key },
      { requestId: 'req_1', status: 200, usage: counts, key },
      { requestId: 'req_1', status: 200, usage: counts, key },
    ]
    expect(found(again, {}, answers)).toEqual([])
  })
})

describe('a planted breach is found', () => {
  const events = logOf(...log)
  const feed = feedOf(events)
  const [first, second, ...others] = feed as [ReceivedRecord, ReceivedRecord, ReceivedRecord]
  const other = { partition: 1 }

  test.each<[Invariant, string, Sightings]>([
    ['I13', 'an event that the feed lacks', { feed: feed.slice(0, -1) }],
    ['I13', 'two that come the wrong way round', { feed: [first, ...swapped(others), second] }],
    ['I13', 'one that the log does not have', { feed: [...feed, changed(first, { id: 'x' })] }],
    ['I13', 'another hash', { feed: [changed(first, { hash: 'x' }), ...feed.slice(1)] }],
    [
      'I13',
      'one in another partition',
      { feed: [first, second, { ...second, ...other }, ...others] },
    ],
    ['I6', 'a payment that was told and is not there', paid(7n, true)],
    ['I15', 'a balance that never was', { balances: [balance(999n, 0n, [])] }],
    ['I15', 'a balance from before an answer', { balances: [balance(1000n, 300n, ['req_1'])] }],
    ['I18', 'a revocation that is not there', { revocations: [{ ...ACCOUNT, keyId: 'key_1' }] }],
    ['I2', 'more output than was computed', computed({ ...counts, outputTokens: 3 })],
    ['I2', 'a run of which no worker knows', { computed: new Map() }],
  ])('%s: %s', (invariant, _name, seen) => {
    expect(found(events, seen)).toContain(invariant)
  })

  test('I19: a payment that is granted twice', () => {
    const twice = logOf(...start, granted(1000n, 2000n, { grantId: 'grant_2' }))
    expect(found(twice, paid(1000n, true))).toEqual(['I19'])
  })

  test('I18: a request with a revoked key', () => {
    expect(found(logOf(...start, revoked(), ...billed('req_1', 815n)), {})).toEqual(['I18'])
  })

  test('I19: a key that is used while its request runs, or after its debit', () => {
    const running = [accepted('req_1', 1n, { idempotency }), accepted('req_2', 1n, { idempotency })]
    expect(found(logOf(...start, ...running, failed('req_1'), failed('req_2')), {})).toEqual([
      'I19',
    ])
    const both = logOf(...log, ...billed('req_2', 1000n - 2n * COST))
    expect(found(both, {})).toEqual(['I19'])
  })

  test('I19: clients with one key that see two requests', () => {
    const plain = { idempotency: null }
    const two = logOf(
      ...[...start, accepted('req_1', 300n, plain), ...billed('req_1', 815n).slice(1)],
      ...[accepted('req_2', 300n, plain), ...billed('req_2', 1000n - 2n * COST).slice(1)],
    )
    const answer = { status: null, usage: null, key: 'acct_1 k' }
    const answers = ['req_1', 'req_2'].map((requestId) => ({ ...answer, requestId }))
    expect(found(two, {}, answers)).toEqual(['I19'])
  })

  test('I6: an answer that was begun, and of which the log knows nothing', () => {
    const begun = { requestId: 'req_9', status: 200, usage: null }
    expect(found(events, {}, [begun])).toEqual(['I6'])
  })
})

function paid(amount: bigint, isDue: boolean): Sightings {
  return { payments: [{ ...ACCOUNT, amount, isDue }] }
}

function balance(settled: bigint, held: bigint, after: readonly string[]) {
  return { ...ACCOUNT, settled, held, after }
}

function computed(made: typeof counts): Sightings {
  return { computed: new Map([['req_1', made]]) }
}

function changed(record: ReceivedRecord, headers: Record<string, string>): ReceivedRecord {
  return { ...record, headers: { ...record.headers, ...headers } }
}

function swapped(records: readonly ReceivedRecord[]): readonly ReceivedRecord[] {
  return records.toReversed()
}
