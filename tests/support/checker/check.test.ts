/** The checker finds every breach that is planted, and nothing where there is none. */

import type { DomainEvent } from '@svc/contracts/events/codec'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { describe, expect, test } from 'vitest'
import { check } from './check.ts'
import {
  abandoned,
  accepted,
  COST,
  counts,
  debited,
  expired,
  failed,
  granted,
  logOf,
  metered,
  opened,
  price,
  published,
  withdrawn,
} from './event-log.ts'
import type { ClientAnswer } from './history.ts'
import type { Invariant } from './violation.ts'

const answered: ClientAnswer = { requestId: 'req_1', status: 200, usage: counts }
const settled = [accepted('req_1', 300n), metered('req_1'), debited('req_1', 1000n - COST)]
const start = [published, opened(), granted(1000n, 1000n)]
const log = [...start, ...settled]

const found = (history: readonly ClientAnswer[], events: readonly RecordedEvent[]) => [
  ...new Set(check(history, events).map(({ invariant }) => invariant)),
]

describe('nothing is found in a true log', () => {
  test.each<[string, readonly DomainEvent[]]>([
    ['of no events', []],
    ['of one answered request', log],
    ['with a failure before any output', [...log, accepted('req_2', 300n), failed('req_2')]],
    ['with a gateway that died', [...log, accepted('req_2', 300n), abandoned('req_2')]],
    ['with a failure after output', [...log, failed('req_1')]],
    ['with an expired grant', [...log, expired(815n, 0n)]],
    [
      'with an under-held request that goes below zero, and a grant that pays the debt',
      [
        published,
        opened(),
        granted(100n, 100n),
        accepted('req_1', 100n, { underHeld: true }),
        metered('req_1'),
        debited('req_1', -85n, { slices: [{ grantId: 'grant_1', amount: 100n }], debt: 85n }),
        granted(200n, 115n, { grantId: 'grant_2', paidDebt: 85n }),
      ],
    ],
    [
      'with a request that ends while another has taken the account below zero',
      [
        published,
        opened(),
        granted(400n, 400n),
        accepted('req_2', 300n),
        accepted('req_1', 100n, { underHeld: true }),
        metered('req_1'),
        debited('req_1', 215n),
        metered('req_2'),
        debited('req_2', 30n),
      ],
    ],
  ])('%s', (_name, events) => {
    expect(check([], logOf(...events))).toEqual([])
  })

  test('when the answers are those of the log', () => {
    const history: ClientAnswer[] = [
      answered,
      answered,
      { requestId: 'req_1', status: null, usage: null },
      { requestId: 'req_9', status: 402, usage: null },
    ]
    expect(check(history, logOf(...log))).toEqual([])
  })
})

describe('a planted breach is found', () => {
  const strict = [published, opened('strict'), granted(100n, 100n)]

  test.each<[Invariant, string, readonly DomainEvent[]]>([
    ['I1', 'a balance that its events do not add up to', [...start.slice(0, 2), granted(5n, 6n)]],
    ['I1', 'a grant that is given twice', [...start, granted(1n, 1001n)]],
    ['I1', 'a grant of nothing', [...start.slice(0, 2), granted(0n, 0n)]],
    ['I1', 'a grant that is spent twice', [...log, expired(1000n, -COST)]],
    ['I1', 'an expiry of more than is left', [...start, expired(1001n, -1n)]],
    ['I1', 'an expiry of nothing', [...start, expired(0n, 1000n)]],
    ['I1', 'an expiry that gives', [...start, expired(-1n, 1001n)]],
    ['I1', 'slices that miss a part', [...start, ...settledWith({ slices: [] })]],
    ['I1', 'a slice of an unknown grant', [...start, ...settledWith(sliceOf('grant_9'))]],
    ['I1', 'a debt that is not paid first', [published, opened(), ...underHeldThenGrant(0n)]],
    ['I2', 'a debit of one pico-dollar more', [...start, ...settledWith({ amount: COST + 1n })]],
    ['I2', 'a debit of one pico-dollar less', [...start, ...settledWith({ amount: COST - 1n })]],
    ['I2', 'a debit of fewer tokens than were metered', [...start, ...settledWith(fewer())]],
    ['I2', 'a price that was never published', log.slice(1)],
    ['I2', 'a price that was withdrawn before', [published, withdrawn, ...log.slice(1)]],
    [
      'I2',
      'a price that was altered',
      [...start, pinned({ ...price, input: 11n }), ...settledEnd()],
    ],
    [
      'I2',
      'a meter of more prompt than was accepted',
      [...start, ...limited({ promptTokens: 14 })],
    ],
    [
      'I2',
      'a meter of more output than was allowed',
      [...start, ...limited({ maxOutputTokens: 3 })],
    ],
    ['I3', 'a second debit', [...log, debited('req_1', 1000n - 2n * COST)]],
    ['I3', 'a debit without a meter', [...start, accepted('req_1', 300n), debited('req_1', 815n)]],
    ['I3', 'a meter without a debit', [...start, ...settled.slice(0, 2), failed('req_1')]],
    ['I3', 'a second meter', [...start, ...settled.slice(0, 2), ...settledEnd()]],
    ['I4', 'a debit of a request that was not accepted', [...start, ...settledEnd()]],
    ['I4', 'a request that is accepted twice', [...log, accepted('req_1', 300n)]],
    ['I4', 'a meter after the end', [...log, metered('req_1')]],
    ['I4', 'a debit after a failure', [...start, ...debitAfterFailure()]],
    ['I4', 'an event between meter and debit', [...start, ...apart()]],
    ['I5', 'a request that never ends', [...start, accepted('req_1', 300n)]],
    ['I5', 'a request that ends twice', [...log, failed('req_1'), failed('req_1')]],
    ['I5', 'a request that is abandoned after its debit', [...log, abandoned('req_1')]],
    ['I8', 'a hold of more than is available', [...start, ...failedWith(1001n)]],
    ['I8', 'a hold of more than other holds leave', [...start, ...twoHolds(600n)]],
    ['I8', 'a debit of more than was held', [...start, accepted('req_1', 184n), ...settledEnd()]],
    ['I8', 'a negative hold', [...start, ...failedWith(-1n)]],
    ['I8', 'an under-held request of a strict account', [...strict, ...underHeld('req_1')]],
    ['I8', 'a second under-held request', [...start, ...underHeld('req_1', 'req_2')]],
    ['I9', 'a hold that is left when nothing runs', [...start, accepted('req_1', 300n)]],
  ])('%s: %s', (invariant, _name, events) => {
    expect(found([], logOf(...events))).toContain(invariant)
  })

  test.each<[string, readonly ClientAnswer[], readonly DomainEvent[]]>([
    ['an answer that the log does not know', [{ ...answered, requestId: 'req_9' }], log],
    ['an answer that was not debited', [answered], [...start, ...failedWith(300n)]],
    ['another usage', [{ ...answered, usage: { ...counts, outputTokens: 5 } }], log],
    ['other cached tokens', [{ ...answered, usage: { ...counts, cachedInputTokens: 4 } }], log],
    ['a refusal that was debited', [{ ...answered, status: 402, usage: null }], log],
  ])('I6: %s', (_name, history, events) => {
    expect(found(history, logOf(...events))).toContain('I6')
  })

  test.each<[Invariant, string, (events: RecordedEvent[]) => RecordedEvent[]]>([
    ['I11', 'an altered event', (events) => events.map(raised)],
    ['I11', 'a forged hash', (events) => events.map((one) => ({ ...one, hash: '0'.repeat(64) }))],
    ['I12', 'a dropped event', (events) => events.filter((_, index) => index !== 2)],
    ['I12', 'a repeated event', (events) => [...events, events[5] as RecordedEvent]],
    ['I12', 'positions that stand still', (events) => events.map((e) => ({ ...e, position: 0n }))],
  ])('%s: %s', (invariant, _name, alter) => {
    expect(found([], alter([...logOf(...log)]))).toContain(invariant)
  })
})

function settledWith(changes: Parameters<typeof debited>[2]): readonly DomainEvent[] {
  const amount = changes?.amount ?? COST
  return [...settled.slice(0, 2), debited('req_1', 1000n - amount, changes)]
}

/** Adds up in itself, for one output token less. */
function fewer() {
  const lines = [
    { class: 'input', tokens: 10, price: 10n, amount: 100n },
    { class: 'cached_input', tokens: 5, price: 1n, amount: 5n },
    { class: 'output', tokens: 3, price: 20n, amount: 60n },
  ] as const
  return { amount: 165n, lines: [...lines], slices: [{ grantId: 'grant_1', amount: 165n }] }
}

function sliceOf(grantId: string) {
  return { slices: [{ grantId, amount: COST }] }
}

function settledEnd(): readonly DomainEvent[] {
  return [metered('req_1'), debited('req_1', 1000n - COST)]
}

function pinned(altered: typeof price): DomainEvent {
  return accepted('req_1', 300n, { price: altered })
}

function limited(limits: Parameters<typeof accepted>[2]): readonly DomainEvent[] {
  return [accepted('req_1', 300n, limits), ...settledEnd()]
}

function failedWith(hold: bigint): readonly DomainEvent[] {
  return [accepted('req_1', hold), failed('req_1')]
}

function twoHolds(hold: bigint): readonly DomainEvent[] {
  return [accepted('req_1', hold), accepted('req_2', hold), failed('req_1'), failed('req_2')]
}

function debitAfterFailure(): readonly DomainEvent[] {
  return [accepted('req_1', 300n), failed('req_1'), ...settledEnd()]
}

function apart(): readonly DomainEvent[] {
  const [accept, meter, debit] = settled as [DomainEvent, DomainEvent, DomainEvent]
  return [accept, meter, accepted('req_2', 1n), debit, failed('req_2')]
}

function underHeld(...requestIds: readonly string[]): readonly DomainEvent[] {
  return [
    ...requestIds.map((requestId) => accepted(requestId, 50n, { underHeld: true })),
    ...requestIds.map(failed),
  ]
}

function underHeldThenGrant(paidDebt: bigint): readonly DomainEvent[] {
  return [
    granted(100n, 100n),
    accepted('req_1', 100n, { underHeld: true }),
    metered('req_1'),
    debited('req_1', -85n, { slices: [{ grantId: 'grant_1', amount: 100n }], debt: 85n }),
    granted(200n, 115n, { grantId: 'grant_2', paidDebt }),
  ]
}

/** Somebody gives themselves ten times the credit, in the file. */
function raised(event: RecordedEvent): RecordedEvent {
  return { ...event, data: event.data.replace('"amount":"1000"', '"amount":"10000"') }
}
