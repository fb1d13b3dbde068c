/**
 * What an account should be, by the documentation: plain arithmetic over plain arrays. It shares no
 * code with the ledger and keeps everything for ever, so it is slow and easy to check.
 *
 * Read beside it `docs/explanation/ledger.md`, `docs/how-to/correct-a-mistake.md` and
 * `docs/decisions/0023-a-wrong-price-is-made-good.md`.
 */

import {
  atLeastZero,
  type Category,
  done,
  least,
  type Outcome,
  ReferenceFunds,
  refused,
  sum,
} from './reference-funds.ts'

import {
  costOf,
  mostTokens,
  type PriceRun,
  type Rates,
  type ReferenceRequest,
  type Tokens,
} from './reference-request.ts'

type Policy = 'standard' | 'strict'

interface AskedGrant {
  readonly id: string
  readonly amount: bigint
  readonly category: Category
  readonly priority: number
  readonly expiresAt: number | null
  readonly reference: string | null
  readonly key: string | null
}

export class ReferenceAccount extends ReferenceFunds {
  policy: Policy = 'standard'
  list = 'default'
  isFrozen = false
  isClosed = false
  requests: Record<string, ReferenceRequest> = {}
  runs: PriceRun[] = []
  /** What the adjustments of a key moved. */
  adjusted: Record<string, bigint> = {}

  copy(): ReferenceAccount {
    const copy = new ReferenceAccount()
    Object.assign(copy, structuredClone({ ...this }))
    return copy
  }

  get held(): bigint {
    return sum(this.running.map(({ hold }) => hold))
  }

  get available(): bigint {
    return this.balance - this.held
  }

  get running(): ReferenceRequest[] {
    return Object.values(this.requests).filter(({ status }) => status === 'running')
  }

  /** What is past its time ends, but for what running requests hold of it. */
  expire(at: number): void {
    this.expireBut(this.held, at)
  }

  grant({ key, ...asked }: AskedGrant, at: number): Outcome {
    const { reference, amount, category, priority, expiresAt } = asked
    const content = `grant ${amount} ${category} ${priority} ${expiresAt}`
    // A payment is known by its reference, whatever the key.
    const made = this.grants.find((grant) => reference !== null && grant.reference === reference)
    const again = this.again('change', key, `${content} ${reference}`)
    if (again !== undefined) return again
    if (made !== undefined) {
      const before = `grant ${made.amount} ${made.category} ${made.priority} ${made.expiresAt}`
      return before === content ? done(0n, false) : refused('conflict')
    }
    if (expiresAt !== null && expiresAt <= at) return refused('invalid_value')
    if (this.isClosed) return refused('conflict')
    this.grants.push(this.credit(amount, { ...asked, grantedAt: at }))
    this.remember('change', key, `${content} ${reference}`)
    this.move('grant', amount, at, category)
    return done(amount)
  }

  accept(
    id: string,
    asked: {
      readonly prompt: number
      readonly outputMax: number
      readonly key: string | null
      readonly price: { readonly version: string; readonly rates: Rates } | null
    },
    at: number,
  ): Outcome {
    const { prompt, outputMax, key, price } = asked
    const refusal = this.#refusalOf(key)
    if (refusal !== undefined) return refused(refusal)
    if (price === null) return refused('model_not_priced')
    this.expire(at)
    const { rates, version } = price
    const worst = (tokens: number): bigint =>
      BigInt(prompt) * rates.input + BigInt(tokens) * rates.output
    let [hold, limit, isUnderHeld] = [worst(outputMax), outputMax, false]
    if (this.balance <= 0n) return refused('insufficient_quota')
    if (hold > this.available && this.policy === 'strict') {
      const [now, alone] = [this.available - this.#beyond(), this.balance].map((credit) => {
        return mostTokens(outputMax, (tokens) => worst(tokens) <= credit)
      }) as [number, number]
      if (alone < 1) return refused('insufficient_quota')
      if (now < 1 || 2 * now < alone) return refused('balance_in_use')
      limit = now
      hold = worst(now)
    } else if (hold > this.available) {
      if (this.available <= 0n || this.running.some((request) => request.isUnderHeld)) {
        return refused('balance_in_use')
      }
      hold = this.available
      isUnderHeld = true
    }
    this.requests[id] = {
      acceptedAt: at,
      version,
      rates,
      prompt,
      outputMax: limit,
      hold,
      isUnderHeld,
      key,
      status: 'running',
      tokens: { input: 0, cached: 0, output: 0 },
      amount: 0n,
      slices: [],
      debt: 0n,
      refunds: [],
    }
    return done(hold)
  }

  /** A key is free again where its request ended without a charge. */
  #refusalOf(key: string | null): string | undefined {
    if (this.isClosed) return 'invalid_api_key'
    if (this.isFrozen) return 'account_frozen'
    const same = Object.values(this.requests).find(
      (request) => key !== null && request.key === key && request.status !== 'free',
    )
    if (same === undefined) return undefined
    return same.status === 'running' ? 'idempotency_key_in_use' : 'idempotency_answer_gone'
  }

  /** What a request that began under `standard` may still need counts as held under `strict`. */
  #beyond(): bigint {
    const request = this.running.find(({ isUnderHeld }) => isUnderHeld)
    if (request === undefined) return 0n
    const { rates, prompt, outputMax, hold } = request
    return BigInt(prompt) * rates.input + BigInt(outputMax) * rates.output - hold
  }

  settle(id: string, claimed: Tokens, at: number): Outcome {
    const request = this.requests[id]
    if (request === undefined || request.status === 'free') return refused('conflict')
    // It may be told again what was debited.
    if (request.status === 'charged') return done(request.amount, false)
    this.expire(at)
    const cached = Math.min(claimed.cached, request.prompt)
    const input = Math.min(claimed.input, request.prompt - cached)
    const tokens = { input, cached, output: Math.min(claimed.output, request.outputMax) }
    const amount = costOf(request.rates, tokens)
    const before = this.debt
    request.slices = this.take(amount)
    request.debt = this.debt - before
    request.amount = amount
    request.tokens = tokens
    request.status = 'charged'
    this.move('usage', -amount, at)
    return done(amount)
  }

  end(id: string): Outcome {
    const request = this.requests[id]
    if (request === undefined || request.status === 'charged') return refused('conflict')
    const isNew = request.status === 'running'
    request.status = 'free'
    return done(0n, isNew)
  }

  voidGrant(index: number, key: string | null, at: number): Outcome {
    const grant = this.grantAt(index)
    const amount = grant.amount - grant.expired
    const again = this.again('change', key, `void ${grant.id}`, -amount)
    if (again !== undefined) return again
    this.expire(at)
    const isOver = grant.expiresAt !== null && grant.expiresAt <= at
    if (this.isClosed || grant.isVoided || isOver) return refused('conflict')
    this.take(amount, [index])
    grant.isVoided = true
    this.remember('change', key, `void ${grant.id}`)
    this.move('void', -amount, at)
    return done(-amount)
  }

  /** What a request costs by the last price that made it good. */
  #costNow(request: ReferenceRequest): bigint {
    const { version, acceptedAt, tokens, amount } = request
    const last = this.runs.findLast(
      (run) => run.version === version && run.from <= acceptedAt && acceptedAt < run.to,
    )
    return last === undefined ? amount : costOf(last.rates, tokens)
  }

  refundable(id: string): bigint {
    const request = this.requests[id]
    if (request === undefined) return 0n
    const refunded = sum(request.refunds.map(({ amount }) => amount))
    return atLeastZero(least(request.amount, this.#costNow(request)) - refunded)
  }

  refund(
    id: string,
    { amount, key, refundId }: { amount: bigint | null; key: string | null; refundId: string },
    at: number,
  ): Outcome {
    const request = this.requests[id]
    if (request === undefined) return refused('not_found')
    if (request.status !== 'charged') return refused('conflict')
    const left = this.refundable(id)
    const made = request.refunds.find((refund) => key !== null && refund.key === key)
    if (made !== undefined) {
      const isSame = amount === null ? left === 0n : amount === made.amount
      return isSame ? done(made.amount, false) : refused('conflict')
    }
    const back = amount ?? left
    if (this.isClosed || left === 0n || back > left) return refused('conflict')
    this.expire(at)
    this.#unwind(request, back, refundId, at)
    request.refunds.push({ key, id: refundId, amount: back })
    this.move('refund', back, at)
    return done(back)
  }

  /**
   * A charge is a line: the slices in the order in which they paid, then the debt. Refunds take it
   * back from its end. What pays a debt of today goes to no grant.
   */
  #unwind(request: ReferenceRequest, back: bigint, refundId: string, at: number): void {
    const paidDebt = least(this.debt, back)
    this.debt -= paidDebt
    const end = request.amount - sum(request.refunds.map(({ amount }) => amount))
    const [from, to] = [end - back, end - paidDebt]
    let credit = 0n
    let start = 0n
    for (const { grant: index, amount } of [
      ...request.slices,
      { grant: -1, amount: request.debt },
    ]) {
      const part = atLeastZero(least(to, start + amount) - (from > start ? from : start))
      start += amount
      const grant = this.grants[index]
      if (grant === undefined || grant.isVoided) credit += part
      else grant.left += part
    }
    this.correctionCredit(refundId, credit, 'paid', at)
  }

  adjust(
    {
      amount,
      category,
      key,
      id,
    }: { amount: bigint; category: Category; key: string | null; id: string },
    at: number,
  ): Outcome {
    const content = `${amount} ${category}`
    const again = this.again('adjust', key, content, this.adjusted[key ?? ''] ?? 0n)
    if (again !== undefined) return again
    if (amount === 0n) return refused('invalid_value')
    if (this.isClosed) return refused('conflict')
    this.expire(at)
    this.#adjust(id, amount, category, at)
    this.remember('adjust', key, content)
    if (key !== null) this.adjusted[key] = amount
    return done(amount)
  }

  #adjust(id: string, amount: bigint, category: Category, at: number): void {
    if (amount < 0n) this.take(-amount)
    else this.correctionCredit(id, amount, category, at)
    this.move('adjustment', amount, at)
  }

  /** What a run would do to this account. */
  correction(run: PriceRun) {
    const isAbout = ({ version, acceptedAt }: ReferenceRequest): boolean =>
      version === run.version && run.from <= acceptedAt && acceptedAt < run.to
    const all = Object.values(this.requests).filter(isAbout)
    const running = all.filter(({ status }) => status === 'running').length
    const charged = all.filter(({ status }) => status === 'charged')
    const back = { paid: 0n, promotional: 0n }
    const totals = { before: 0n, after: 0n, more: 0n, differing: 0 }
    for (const request of charged) {
      const refunded = sum(request.refunds.map(({ amount }) => amount))
      const before = atLeastZero(this.#costNow(request) - refunded)
      const after = atLeastZero(costOf(run.rates, request.tokens) - refunded)
      totals.before += before
      totals.after += after
      if (before !== after) totals.differing += 1
      totals.more += atLeastZero(after - before)
      if (before > after) this.#addKinds(back, request, after, before)
    }
    const promotional = atLeastZero(back.promotional - totals.more)
    const paid = totals.before - totals.after - promotional
    return { requests: charged.length, running, ...totals, paid, promotional }
  }

  /** Of which kind a part of the charge's line was; behind its end it is paid credit. */
  #addKinds(
    back: Record<Category, bigint>,
    { slices }: ReferenceRequest,
    from: bigint,
    to: bigint,
  ): void {
    let start = 0n
    let promotional = 0n
    for (const { grant, amount } of slices) {
      const part = atLeastZero(least(to, start + amount) - (from > start ? from : start))
      start += amount
      if (this.grantAt(grant).category === 'promotional') promotional += part
    }
    back.promotional += promotional
    back.paid += to - from - promotional
  }

  hasRun(id: string): boolean {
    return this.runs.some((run) => run.id === id)
  }

  correct(run: PriceRun, ids: Record<Category, string>, at: number): boolean {
    const { running, differing, paid, promotional } = this.correction(run)
    if (this.hasRun(run.id) || this.isClosed || running > 0 || differing === 0) return false
    this.expire(at)
    const parts = [
      { id: ids.promotional, amount: promotional, category: 'promotional' as const },
      { id: ids.paid, amount: paid, category: 'paid' as const },
    ].filter(({ amount }) => amount !== 0n)
    for (const { id, amount, category } of parts) this.#adjust(id, amount, category, at)
    // More for one request and less for another may move nothing: it is an entry all the same.
    if (parts.length === 0) this.move('adjustment', 0n, at)
    this.runs.push(run)
    return true
  }

  close(
    { remainder, key }: { remainder: 'none' | 'paid_out' | 'written_off'; key: string | null },
    at: number,
  ): Outcome {
    const again = this.again('change', key, 'close')
    if (again !== undefined) return again
    if (this.isClosed) return done(0n, false)
    this.expire(at)
    if (this.running.length > 0) return refused('conflict')
    const { balance } = this
    if (balance !== 0n && remainder === 'none') return refused('conflict')
    if (balance < 0n && remainder === 'paid_out') return refused('conflict')
    for (const grant of this.grants) grant.left = 0n
    this.debt = 0n
    this.isClosed = true
    this.remember('change', key, 'close')
    if (balance !== 0n) this.move('closing', -balance, at, remainder)
    return done(-balance)
  }

  /** A change of the account's standing that moves no money. */
  change(kind: 'policy' | 'freeze' | 'list', value: string, key: string | null): Outcome {
    const content = `${kind} ${value}`
    const again = this.again(kind, key, content)
    if (again !== undefined) return done(0n, false)
    const now = { policy: this.policy, freeze: `${this.isFrozen}`, list: this.list }[kind]
    if (now === value) return done(0n, false)
    if (this.isClosed) return refused('conflict')
    if (kind === 'policy') this.policy = value as Policy
    else if (kind === 'freeze') this.isFrozen = value === 'true'
    else this.list = value
    this.remember(kind, key, content)
    return done(0n)
  }

  /** What was asked for can be compared no more: the keys alone say what was done. */
  erase(): void {
    for (const key of Object.keys(this.asked)) this.asked[key] = null
  }
}
