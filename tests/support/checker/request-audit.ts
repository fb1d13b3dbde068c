import type { AccountEventOf } from '@svc/contracts/events/account'
import type { Invariant } from './violation.ts'

type Accepted = AccountEventOf<'RequestAccepted'>['data']
type Metered = AccountEventOf<'TokensMetered'>['data']
type Debited = AccountEventOf<'CreditDebited'>['data']

/** Reports a breach about the request. */
type Report = (invariant: Invariant, problem: string) => void

/**
 * One request through its life:
 *
 *     accepted ──▶ metered ──▶ debited ──▶ (failed)      the debit ends the hold
 *         └──────▶ failed │ abandoned                    nothing is charged
 */
export class RequestAudit {
  readonly accepted: Accepted
  meter: Metered | undefined
  debits = 0
  debited = 0n
  refunded = 0n
  /** Of the last debit; -1 before it. */
  debitRevision = -1
  readonly #report: Report
  #meterRevision = -1
  #ended: 'debited' | 'failed' | 'abandoned' | undefined

  constructor(accepted: Accepted, report: Report) {
    this.accepted = accepted
    this.#report = report
  }

  /** What is held for the request now. */
  get openHold(): bigint {
    return this.#ended === undefined ? this.accepted.hold : 0n
  }

  get running(): boolean {
    return this.#ended === undefined
  }

  take(metered: Metered, revision: number): void {
    if (this.meter !== undefined) this.#report('I3', 'is metered twice')
    if (this.#ended !== undefined) this.#report('I4', `is metered after it was ${this.#ended}`)
    const prompt = metered.inputTokens + metered.cachedInputTokens
    if (prompt > this.accepted.promptTokens) {
      this.#report('I2', `is metered for ${prompt} prompt tokens of ${this.accepted.promptTokens}`)
    }
    if (metered.outputTokens > this.accepted.maxOutputTokens) {
      this.#report('I2', `is metered for more output than ${this.accepted.maxOutputTokens}`)
    }
    this.meter = metered
    this.#meterRevision = revision
  }

  debit(debit: Debited, revision: number): void {
    this.debits += 1
    this.debitRevision = revision
    this.debited += debit.amount
    if (this.debits > 1) this.#report('I3', 'is debited twice')
    if (this.meter === undefined) this.#report('I3', 'is debited and was not metered')
    else if (revision !== this.#meterRevision + 1) this.#report('I4', 'has events between')
    if (this.#ended === 'failed' || this.#ended === 'abandoned') {
      this.#report('I4', `is debited after it was ${this.#ended}`)
    }
    if (debit.amount > this.accepted.hold && !this.accepted.underHeld) {
      this.#report('I8', `is debited ${debit.amount} on a hold of ${this.accepted.hold}`)
    }
    this.#checkPrice(debit)
    this.#ended = 'debited'
  }

  refund(amount: bigint, before: bigint): void {
    if (before !== this.refunded) this.#report('I1', `was refunded ${this.refunded}, not ${before}`)
    this.refunded += amount
    if (amount <= 0n) this.#report('I1', `is refunded ${amount}`)
    if (this.refunded > this.debited) {
      this.#report('I1', `is refunded ${this.refunded} of ${this.debited}`)
    }
  }

  end(how: 'failed' | 'abandoned'): void {
    const failedAfterDebit = how === 'failed' && this.#ended === 'debited'
    if (this.#ended !== undefined && !failedAfterDebit) this.#report('I5', 'ends twice')
    this.#ended = how
  }

  finish(): void {
    if (this.running) this.#report('I5', 'never ended')
    if (this.meter !== undefined && this.debits === 0) this.#report('I3', 'is metered, not debited')
  }

  #checkPrice({ amount, lines, slices, debt }: Debited): void {
    if (this.meter === undefined) return
    const { inputTokens, cachedInputTokens, outputTokens } = this.meter
    const { input, cachedInput, output } = this.accepted.price
    const parts = [
      { tokens: inputTokens, price: input },
      { tokens: cachedInputTokens, price: cachedInput },
      { tokens: outputTokens, price: output },
    ]
    const due = parts.map((part) => ({ ...part, amount: BigInt(part.tokens) * part.price }))
    if (amount !== sumOf(due)) {
      this.#report('I2', `is debited ${amount}, its tokens cost ${sumOf(due)}`)
    }
    const isShown = due.every(({ tokens, price, amount: cost }, index) => {
      const line = lines[index]
      return line?.tokens === tokens && line.price === price && line.amount === cost
    })
    if (!isShown) this.#report('I2', 'has lines of other tokens than were metered')
    if (sumOf(slices) + debt !== amount) this.#report('I1', 'has slices that do not add up')
  }
}

function sumOf(parts: readonly { readonly amount: bigint }[]): bigint {
  return parts.reduce((sum, part) => sum + part.amount, 0n)
}
