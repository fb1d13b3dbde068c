/** Random histories of an account: commands in any order, decided one after the other. */
import type { AccountCommand, RecordedCharge } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import {
  accept,
  createKey,
  grant,
  grantId,
  keyId,
  meter,
  open,
  price,
  requestId,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import fc from 'fast-check'
import { accountDecider } from '../decider/decider.ts'
import type { AccountState } from '../state.ts'

const { decide, evolve, initialState } = accountDecider
const REQUESTS = 6
/** Stands for as many as there are. */
const SEEN = -1
const asked = { actor: 'x', at: 0, reason: 'r' }
const movement = { ...asked, reference: null }
const index = fc.nat(5)
const amount = fc.bigInt(1n, 120n)
const category = fc.constantFrom('paid' as const, 'promotional' as const)
const change = fc.nat(40).map((number) => ({ ...asked, changeId: sampleId('chg', number) }))

const correction = fc
  .tuple(fc.nat(9), fc.bigInt(0n, 4n), fc.nat(200), fc.nat(400))
  .map(([run, rate, from, length]) => ({
    runId: sampleId('run', run),
    price: { version: price.version, input: rate, cachedInput: rate, output: rate },
    from: START_MS + from,
    to: START_MS + from + length + 1,
  }))

const anyCommand: fc.Arbitrary<AccountCommand> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(REQUESTS), fc.nat(40), fc.integer({ min: 1, max: 40 }))
      .map(([request, promptTokens, maxOutputTokens]) =>
        accept(request, { promptTokens, maxOutputTokens }),
      ),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(REQUESTS), fc.nat(40), fc.nat(40))
      .map(([request, inputTokens, outputTokens]) =>
        settle(request, { meter: meter({ inputTokens, outputTokens }) }),
      ),
  },
  fc.nat(REQUESTS).map((request) => ({
    ...asked,
    type: 'FailRequest' as const,
    requestId: requestId(request),
  })),
  {
    weight: 3,
    arbitrary: fc
      .tuple(index, amount, fc.option(fc.nat(300)), category)
      .map(([number, granted, expiresIn, of]) => {
        const expiresAt = expiresIn === null ? null : START_MS + expiresIn
        return grant(number, granted, { expiresAt, category: of })
      }),
  },
  fc.constant({ type: 'ExpireCredit', actor: 'x', at: 0 } as const),
  {
    weight: 2,
    arbitrary: fc.tuple(index, change).map(([number, what]) => ({
      ...movement,
      ...what,
      type: 'VoidGrant' as const,
      grantId: grantId(number),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(REQUESTS), index, fc.option(amount))
      .map(([request, refund, part]) => ({
        ...movement,
        type: 'RefundRequest' as const,
        requestId: requestId(request),
        refundId: sampleId('refund', refund),
        amount: part,
        charge: unknownCharge,
        correctionsSeen: SEEN,
      })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(index, fc.bigInt(-120n, 120n), category).map(([number, moved, of]) => ({
      ...movement,
      type: 'AdjustBalance' as const,
      amount: moved,
      adjustmentId: sampleId('adj', number),
      category: of,
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(correction, fc.bigInt(-120n, 120n), fc.bigInt(0n, 40n))
      .map(([made, paid, promotional]) => ({
        ...movement,
        type: 'CorrectPrice' as const,
        correction: made,
        adjustmentIds: { paid: `${made.runId}p`, promotional: `${made.runId}q` },
        due: { paid, promotional: paid < 0n ? 0n : promotional },
        correctionsSeen: SEEN,
      })),
  },
  change.map((what) => ({ ...what, type: 'FreezeAccount' as const })),
  { weight: 2, arbitrary: change.map((what) => ({ ...what, type: 'UnfreezeAccount' as const })) },
  change.map((what) => ({ ...what, type: 'RenameAccount' as const, name: 'n' })),
  change.map((what) => ({ ...what, type: 'RenameApiKey' as const, keyId, name: 'n' })),
  change.map((what) => ({
    ...what,
    type: 'SetApiKeyExpiry' as const,
    keyId,
    expiresAt: 9_000_000_000_000,
  })),
  fc
    .tuple(change, fc.constantFrom('standard' as const, 'strict' as const))
    .map(([what, spendPolicy]) => ({ ...what, type: 'SetSpendPolicy' as const, spendPolicy })),
  fc
    .tuple(change, fc.constantFrom('none' as const, 'written_off' as const, 'paid_out' as const))
    .map(([what, remainder]) => ({
      ...movement,
      ...what,
      type: 'CloseAccount' as const,
      remainder,
    })),
)

const unknownCharge: RecordedCharge = {
  amount: 0n,
  slices: [],
  debt: 0n,
  version: price.version,
  acceptedAt: 0,
  counts: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  refunds: [],
}

/** Each command, and how many milliseconds after the one before it. */
export const histories = fc.array(fc.tuple(anyCommand, fc.nat(20)), { maxLength: 90, size: 'max' })

/** The log as the ledger finds it: of the request's last run, with what was refunded so far. */
function chargeIn(events: readonly AccountEvent[], id: string): RecordedCharge | undefined {
  let charge: RecordedCharge | undefined
  let acceptedAt = 0
  for (const { type, data } of events) {
    if (!('requestId' in data) || data.requestId !== id) continue
    if (type === 'RequestAccepted') acceptedAt = data.at
    if (type === 'CreditDebited') {
      const [input, cached, output] = data.lines.map(({ tokens }) => tokens)
      const counts = { inputTokens: input, cachedInputTokens: cached, outputTokens: output }
      charge = { ...unknownCharge, ...data, acceptedAt, counts: counts as RecordedCharge['counts'] }
    }
    if (type === 'CreditRefunded' && charge !== undefined) {
      charge = { ...charge, refunds: [...charge.refunds, data] }
    }
  }
  return charge
}

/**
 * Decides the commands behind those that open an account with a key and a grant.
 *
 * @param look is shown the state after every event, and the balance before it
 */
export function play(
  steps: readonly (readonly [AccountCommand, number])[],
  look: (state: AccountState, event: AccountEvent, before: bigint) => void,
): { readonly state: AccountState; readonly events: readonly AccountEvent[] } {
  let state = initialState()
  let at = START_MS
  const events: AccountEvent[] = []
  const first = [open(), createKey(), grant(9, 150n)].map((command) => [command, 0] as const)
  for (const [command, laterMs] of [...first, ...steps]) {
    at += laterMs
    const known = withCharge(events, asOfNow(state, command))
    if (known === undefined || isRunAgain(events, known)) continue
    const decision = decide(state, { ...known, at })
    if (decision.kind !== 'happens') continue
    for (const event of decision.events) {
      const { balance } = state
      state = evolve(state, event)
      events.push(event)
      look(state, event, balance)
    }
  }
  return { state, events }
}

function asOfNow({ correctionsMade }: AccountState, command: AccountCommand): AccountCommand {
  if (command.type !== 'CorrectPrice' && command.type !== 'RefundRequest') return command
  return { ...command, correctionsSeen: correctionsMade }
}

function withCharge(events: readonly AccountEvent[], command: AccountCommand) {
  if (command.type !== 'RefundRequest') return command
  const charge = chargeIn(events, command.requestId)
  return charge && { ...command, charge }
}

/** The server gives every request an id of its own. */
function isRunAgain(events: readonly AccountEvent[], command: AccountCommand): boolean {
  return (
    command.type === 'AcceptRequest' &&
    events.some(
      ({ type, data }) => type === 'RequestAccepted' && data.requestId === command.requestId,
    )
  )
}
