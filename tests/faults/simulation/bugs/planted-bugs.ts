/**
 * Bugs of the kinds that services like this one have had, each planted by one wrapped part. The
 * simulation is worth what it finds of them.
 */
import type { BusRecord } from '@svc/contracts/ports/bus'
import { type EventStore, NO_STREAM, type StreamHead } from '@svc/contracts/ports/event-store'
import { seal } from '@svc/contracts/ports/hash-chain'
import type { Snapshot } from '@svc/contracts/ports/snapshot-store'
import type { Rates } from '@svc/contracts/price'
import type { AccountCredit, Settled } from '@svc/ledger/ledger'
import { meter } from '@svc/testing/ledger/sample'
import type { Seams } from './seams.ts'
import {
  rewriting,
  withAdministration,
  withAppend,
  withLedger,
  withTopic,
} from './wrapped-parts.ts'

const SOMETIMES = 0.15
const LATER_MS = 400

/** Of the store and of who writes to it. */
const writingBugs: Readonly<Record<string, Seams>> = {
  'an append expects no revision': {
    store: (inner) =>
      withAppend(inner, async (request) => {
        const expected = await headOf(inner, request.stream)
        return inner.append({ ...request, expected })
      }),
  },
  'what lost a race is written behind the winner, and not decided again': {
    store: (inner) =>
      withAppend(inner, async (request) => {
        const outcome = await inner.append(request)
        if (outcome.kind !== 'conflict') return outcome
        const expected = await headOf(inner, request.stream)
        return inner.append({ ...request, expected })
      }),
  },
  'a retried append gets new ids': {
    store: (inner) => {
      const unknown = new Set<string>()
      return withAppend(inner, async (request) => {
        const [first] = request.events
        if (first === undefined || !unknown.has(first.id)) {
          const outcome = await inner.append(request)
          if (outcome.kind === 'unknown' && first !== undefined) unknown.add(first.id)
          return outcome
        }
        const expected = await headOf(inner, request.stream)
        const events = request.events.map((event) => ({ ...event, id: changedId(event.id) }))
        return inner.append({ ...request, expected, events })
      })
    },
  },
  'an unknown outcome counts as written': {
    store: (inner) =>
      withAppend(inner, async (request) => {
        const outcome = await inner.append(request)
        if (outcome.kind !== 'unknown') return outcome
        return { kind: 'appended', head: seal(request).head, position: 0n }
      }),
  },
  'an append is dropped, and answered': {
    store: (inner, { random }) =>
      withAppend(inner, async (request) => {
        if (random.next() >= SOMETIMES) return inner.append(request)
        return { kind: 'appended', head: seal(request).head, position: 0n }
      }),
  },
  'an append is written in part': {
    store: (inner, { random }) =>
      withAppend(inner, async (request) => {
        if (request.events.length < 2 || random.next() >= SOMETIMES) return inner.append(request)
        return inner.append({ ...request, events: request.events.slice(0, 1) })
      }),
  },
  'the store answers before it is durable': { serverAnswersEarly: true },
  'an event is changed where it stands': {
    onCommit: ({ random, server }) => {
      const event = server.events.at(-1)
      if (event === undefined || random.next() >= SOMETIMES) return
      Object.assign(event, { data: event.data.replace(/"at":\d+/, '"at":1') })
    },
  },
  'a snapshot has the state of another moment': {
    snapshots: (inner) => {
      const first = new Map<string, Snapshot>()
      return {
        ...inner,
        save(snapshot) {
          const older = first.get(snapshot.stream) ?? snapshot
          first.set(snapshot.stream, older)
          return inner.save({ ...snapshot, state: older.state })
        },
      }
    },
  },
}

/** Of what is decided and charged. */
const chargingBugs: Readonly<Record<string, Seams>> = {
  'the price of now is charged, and not the pinned one': {
    store: (inner, { priceOfNow }) =>
      rewriting(inner, 'CreditDebited', (debit) => atPrice(debit, priceOfNow())),
  },
  'an amount is rounded': {
    store: (inner) =>
      rewriting(inner, 'CreditDebited', (debit) => {
        const amount = (BigInt(String(debit.amount)) / 10n) * 10n
        return { ...debit, amount: `${amount}` }
      }),
  },
  'nothing is held for a request': {
    store: (inner) => rewriting(inner, 'RequestAccepted', (data) => ({ ...data, hold: '0' })),
  },
  'a cancelled run is billed in full': {
    ledger: (inner) =>
      withLedger(inner, {
        settle: (accountId, ended) => {
          const isCut = ended.rule !== 'metered'
          const claimed = { ...ended.meter, outputTokens: 1_000 }
          return inner.settle(accountId, isCut ? { ...ended, meter: claimed } : ended)
        },
      }),
  },
  'orphans are never swept': {
    sweeping: (ports) => ({ ...ports, findRunning: () => ({ rows: [], next: undefined }) }),
  },
  'the sweeper looks at one page and no further': {
    sweeping: (ports) => ({
      ...ports,
      async findRunning(query) {
        const { rows } = await ports.findRunning(query)
        return { rows, next: undefined }
      },
    }),
  },
  'the sweeper bills what it ends': {
    sweeping: (ports, ledger) => ({
      ...ports,
      isGone: () => true,
      ledger: {
        isRunning: ports.ledger.isRunning.bind(ledger),
        balance: ports.ledger.balance.bind(ledger),
        async abandon(accountId, requestId) {
          const guess = meter({ inputTokens: 1, outputTokens: 1_000 })
          const end = { finishReason: 'stop', rule: 'metered', failure: null } as const
          await ledger.settle(accountId, { requestId, meter: guess, ...end })
          return true
        },
      },
    }),
  },
  'a payment is granted at each delivery': {
    ledger: (inner) =>
      withAdministration(inner, {
        grant: (accountId, asked) =>
          inner.administration.grant(accountId, { ...asked, reference: null }),
      }),
  },
}

/** Of what is told, and when. */
const tellingBugs: Readonly<Record<string, Seams>> = {
  'an answer leaves before its debit': {
    ledger: (inner) =>
      withLedger(inner, {
        async settle(accountId, ended) {
          inner.settle(accountId, ended).catch(() => {})
          return presumed(ended.meter)
        },
      }),
  },
  'the first byte leaves before the acceptance is durable': {
    ledger: (inner) =>
      withLedger(inner, {
        async accept(...asked) {
          const accepted = await inner.accept(...asked)
          return { ...accepted, durable: Promise.resolve() }
        },
      }),
  },
  'a payment is acknowledged before it is durable': {
    ledger: (inner) =>
      withAdministration(inner, {
        async grant(accountId, asked) {
          inner.administration.grant(accountId, asked).catch(() => {})
          return { grantId: 'grant', created: true }
        },
      }),
  },
  'a revocation is told, and not written': {
    ledger: (inner) =>
      withAdministration(inner, {
        revokeKey: async () => ({ revokedAt: 0, alreadyRevoked: false }),
      }),
  },
  'the Idempotency-Key is forgotten': {
    ledger: (inner) =>
      withLedger(inner, {
        idempotent: async () => undefined,
        accept: (accountId, request, signal) =>
          inner.accept(accountId, { ...request, idempotency: null }, signal),
      }),
  },
  'a retry is given the newest answer of the account': {
    recordedAnswers: (inner) => {
      const newest = new Map<string, string>()
      return {
        save(accountId, id, text, expiresAt) {
          newest.set(accountId, text)
          return inner.save(accountId, id, text, expiresAt)
        },
        load: async (accountId) => newest.get(accountId),
      }
    },
  },
  'an old balance is shown': {
    ledger: (inner, { time }) => {
      const seen = new Map<string, { readonly atMs: number; readonly balance: AccountCredit }>()
      return withLedger(inner, {
        async balance(accountId) {
          const known = seen.get(accountId)
          if (known !== undefined && time.nowMs() - known.atMs < 5_000) return known.balance
          const balance = await inner.balance(accountId)
          seen.set(accountId, { atMs: time.nowMs(), balance })
          return balance
        },
      })
    },
  },
}

/** Of the feed. */
const feedBugs: Readonly<Record<string, Seams>> = {
  'the relay goes on before the bus has acknowledged': {
    topic: (inner, { time }) => {
      const sent = [...inner.acknowledged]
      return withTopic(inner, {
        get acknowledged() {
          return inner.acknowledged
        },
        async deliver(records, signal) {
          time.after(LATER_MS, () => void inner.deliver(records, signal).catch(() => {}))
        },
        ends: async () => inner.acknowledged.map((end, at) => (end > 0n ? end : (sent[at] ?? 0n))),
      })
    },
  },
  'the relay believes an acknowledgement': {
    topic: (inner) => {
      let known: readonly bigint[] = []
      return withTopic(inner, {
        async ends() {
          const ends = await inner.ends()
          known = ends.map((end, at) => largest(end, known[at] ?? 0n))
          return known.map((end, at) => largest(end, inner.acknowledged[at] ?? 0n))
        },
      })
    },
  },
  'the relay sends the newest first': {
    topic: (inner) =>
      withTopic(inner, {
        deliver: (records, signal) => inner.deliver(records.toReversed(), signal),
      }),
  },
  'the relay sends under the key of the moment': {
    topic: (inner) =>
      withTopic(inner, {
        deliver: (records, signal) => inner.deliver(records.map(underOtherKey), signal),
      }),
  },
  'the relay begins at the end of the log': {
    checkpoints: (inner, { server }) => ({
      write: (checkpoint) => inner.write(checkpoint),
      read() {
        const known = inner.read()
        const position = server.events.at(-1)?.position
        return known === undefined || position === undefined ? known : { ...known, position }
      },
    }),
  },
}

/** By what is wrong, in words. */
export const plantedBugs: Readonly<Record<string, Seams>> = {
  ...writingBugs,
  ...chargingBugs,
  ...tellingBugs,
  ...feedBugs,
}

async function headOf(store: EventStore, stream: string): Promise<StreamHead> {
  const [last] = await store.readStream({ stream, direction: 'backwards', limit: 1 })
  return last === undefined ? NO_STREAM : { revision: last.revision, hash: last.hash }
}

function changedId(id: string): string {
  const first = id.startsWith('f') ? 'e' : 'f'
  return `${first}${id.slice(1)}`
}

function atPrice(debit: Record<string, unknown>, rates: Rates | null): Record<string, unknown> {
  if (rates === null) return debit
  const prices = [rates.input, rates.cachedInput, rates.output]
  const lines = (debit.lines as { tokens: number }[]).map((line, at) => {
    const price = prices[at] ?? 0n
    return { ...line, price: `${price}`, amount: `${BigInt(line.tokens) * price}` }
  })
  const amount = lines.reduce((sum, line) => sum + BigInt(line.amount), 0n)
  return { ...debit, lines, amount: `${amount}` }
}

/** What a settlement will come to, if nothing goes wrong. */
function presumed(claimed: Parameters<typeof meter>[0] = {}): Settled {
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = claimed
  const classes = [
    ['input', inputTokens],
    ['cached_input', cachedInputTokens],
    ['output', outputTokens],
  ] as const
  const lines = classes.map(([name, tokens]) => ({ class: name, tokens, price: 0n, amount: 0n }))
  return { amount: 0n, lines, slices: [], balanceAfter: 0n }
}

function largest(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function underOtherKey(record: BusRecord): BusRecord {
  const isOdd = Number(record.headers.revision) % 2 === 1
  return isOdd ? { ...record, key: `${record.key}-odd` } : record
}
