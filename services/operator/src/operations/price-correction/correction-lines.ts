/**
 * A run that sets a wrong price right: account by account, in the order in which they were opened.
 *
 *     record what the run is about ─▶ per account: what is due? ─▶ one decision ─▶ a line
 *
 * A run that broke off is begun again with the same key: it is about the same requests, and what
 * was done of it is found done. A trial writes nothing.
 */
import type {
  CorrectedAccount,
  CorrectionProgress,
  CorrectionResult,
} from '@svc/contracts/admin/corrections'
import type { CorrectionDue } from '@svc/contracts/commands'
import { ServiceError } from '@svc/contracts/errors'
import type { PriceCorrection } from '@svc/contracts/events/account'
import { formatExact, formatPricePerMillion } from '@svc/contracts/money'
import { answerableError } from '@svc/contracts/ports/answerable-error'
import type { Rates } from '@svc/contracts/price'
import type { Ledger } from '@svc/ledger/ledger'
import { PriceDifference } from '@svc/ledger/price-difference'
import type { Projections } from '@svc/projections/open-projections'
import type { AccountRow } from '@svc/projections/views'
import { progressLines, progressTurns } from '../log/progress-lines.ts'
import { timeText } from '../values/rfc3339-times.ts'
import { type ChargedRequestsPorts, type Reading, readCharges } from './charged-requests.ts'

const PAGE_ACCOUNTS = 100
/** An account that is corrected otherwise at the same time is worked out this often. */
const TRIES = 5
const DAMAGED =
  'The records of the account are damaged: mend them, and begin the run again with its key.'

export interface CorrectionPorts extends ChargedRequestsPorts {
  readonly ledger: Ledger
  readonly projections: Pick<Projections, 'views'>
}

export interface AskedCorrection {
  readonly version: string
  readonly rates: Rates
  readonly from: number | undefined
  readonly to: number | undefined
  readonly reason: string
  readonly reference: string | null
  readonly actor: string
  readonly dryRun: boolean
  /** Names the run. */
  readonly idempotencyKey: string | undefined
}

/** @throws {ServiceError} before the first line: what {@link Ledger.correctPrice} throws */
export async function* correctionLines(
  ports: CorrectionPorts,
  asked: AskedCorrection,
): AsyncGenerator<CorrectionProgress | CorrectedAccount | CorrectionResult> {
  const { projections } = ports
  const correction = await begin(ports.ledger, asked)
  const sums = new Sums()
  const isTurn = progressTurns()
  const total = projections.views.accountTotals().accounts
  let done = 0
  for await (const row of allAccounts(ports)) {
    const progress: CorrectionProgress = { type: 'progress', accounts: done, total }
    const lines = progressLines<CorrectionProgress, Outcome>((report, signal) => {
      const reading = { onPage: () => report(progress), signal }
      return correctAccount(ports, asked, correction, row, reading)
    })
    for await (const line of lines) {
      if (line.type === 'progress' && isTurn()) yield line
      if (line.type !== 'charged') continue
      sums.add(line)
      yield shownAccount(row, line)
    }
    done += 1
  }
  yield shownResult(ports.ledger, asked, correction, sums)
}

async function* allAccounts({ projections, pace }: CorrectionPorts): AsyncGenerator<AccountRow> {
  let after: string | undefined
  do {
    const page = { limit: PAGE_ACCOUNTS, after }
    const rows = await pace.step(() => projections.views.accounts(page))
    yield* rows
    after = rows.at(-1)?.accountId
  } while (after !== undefined)
}

function begin(
  ledger: Ledger,
  { dryRun, idempotencyKey, reason, actor, version, rates, from, to }: AskedCorrection,
): Promise<PriceCorrection> {
  const what = { version, rates, from, to }
  if (dryRun) return ledger.pricing.previewCorrection(what)
  if (idempotencyKey !== undefined) {
    return ledger.pricing.correct({ ...what, idempotencyKey, reason, actor })
  }
  const message =
    'A correction needs an idempotency key: a run that breaks off is begun again with the same key.'
  throw new ServiceError('missing_required_parameter', message, { param: 'idempotency_key' })
}

/** What became of an account. */
type Outcome = AccountOutcome | NothingCharged

/** It was charged nothing at the price. */
interface NothingCharged {
  readonly type: 'nothing_charged'
}

interface AccountOutcome {
  readonly type: 'charged'
  readonly difference: PriceDifference
  readonly due: CorrectionDue
  readonly created: boolean
  readonly problem: string | null
}

/** An account whose records are damaged keeps no other from being set right. */
async function correctAccount(
  ports: CorrectionPorts,
  asked: AskedCorrection,
  correction: PriceCorrection,
  { accountId }: Pick<AccountRow, 'accountId'>,
  reading: Reading,
): Promise<Outcome> {
  try {
    return await correctReadable(ports, asked, correction, accountId, reading)
  } catch (cause) {
    if (answerableError(cause).code !== 'account_damaged') throw cause
    const difference = new PriceDifference(correction, [])
    return { type: 'charged', difference, due: difference.due, created: false, problem: DAMAGED }
  }
}

async function correctReadable(
  ports: CorrectionPorts,
  asked: AskedCorrection,
  correction: PriceCorrection,
  accountId: string,
  reading: Reading,
): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const worked = await workOut(ports, correction, accountId, reading)
    if (worked.type === 'nothing_charged' || !worked.isOpen) return worked
    const outcome = await adjust(ports.ledger, asked, correction, accountId, worked)
    if (!outcome.isOpen || tries === TRIES) return outcome
  }
}

/** An outcome, and whether it is still to be brought about. */
interface WorkedOut extends AccountOutcome {
  readonly correctionsSeen: number
  readonly isOpen: boolean
}

async function workOut(
  { ledger, ...ports }: CorrectionPorts,
  correction: PriceCorrection,
  accountId: string,
  reading: Reading,
): Promise<WorkedOut | NothingCharged> {
  const made = await ledger.administration.correctionsOf(accountId)
  const { priceCorrections, correctionsMade: correctionsSeen, categoryOf } = made
  const own = priceCorrections.findIndex(({ runId }) => runId === correction.runId)
  const isDone = own !== -1
  const earlier = isDone ? priceCorrections.slice(0, own) : priceCorrections
  const difference = new PriceDifference(correction, earlier)
  const running = await readCharges(ports, { accountId, difference, categoryOf }, reading)
  if (difference.requests === 0 && running === 0) return { type: 'nothing_charged' }
  const due = isDone ? made.adjustedBy(correction.runId) : difference.due
  const problem = running > 0 && !isDone ? stillRunning(running) : null
  const isOpen = !isDone && problem === null && difference.differing > 0
  const outcome = { type: 'charged', difference, due, created: false, problem } as const
  return { ...outcome, correctionsSeen, isOpen }
}

/** Stays open when the account was corrected otherwise meanwhile. */
async function adjust(
  { administration }: Ledger,
  { reason, reference, actor, dryRun }: AskedCorrection,
  correction: PriceCorrection,
  accountId: string,
  worked: WorkedOut,
): Promise<WorkedOut> {
  const { due, correctionsSeen } = worked
  const terms = { reason, reference, actor, dryRun, correction, due, correctionsSeen }
  try {
    const created = await administration.correctPrice(accountId, terms)
    return { ...worked, created: created && !dryRun, isOpen: false }
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'conflict') throw cause
    const { correctionsMade } = await administration.correctionsOf(accountId)
    return { ...worked, problem: cause.message, isOpen: correctionsMade !== correctionsSeen }
  }
}

function stillRunning(running: number): string {
  const what = running === 1 ? 'A request runs' : `${running} requests run`
  return `${what} at this price: begin the run again when they have ended.`
}

class Sums {
  accounts = 0
  requests = 0
  before = 0n
  after = 0n
  amount = 0n
  created = 0
  problems = 0

  add({ difference, due, created, problem }: AccountOutcome): void {
    this.accounts += 1
    this.requests += difference.requests
    this.before += difference.before
    this.after += difference.after
    this.amount += sumOf(due)
    if (created) this.created += 1
    if (problem !== null) this.problems += 1
  }
}

function shownAccount(
  { accountId, name }: Pick<AccountRow, 'accountId' | 'name'>,
  { difference, due, created, problem }: AccountOutcome,
): CorrectedAccount {
  return {
    type: 'account',
    account_id: accountId,
    name,
    requests: difference.requests,
    before: formatExact(difference.before),
    after: formatExact(difference.after),
    amount: formatExact(sumOf(due)),
    paid: formatExact(due.paid),
    promotional: formatExact(due.promotional),
    created,
    problem,
  }
}

function shownResult(
  ledger: Ledger,
  { dryRun }: AskedCorrection,
  { runId, price, from, to }: PriceCorrection,
  { accounts, requests, before, after, amount, created, problems }: Sums,
): CorrectionResult {
  const old = ledger.pricing.published().find(({ version }) => version === price.version)
  if (old === undefined) throw new Error(`${price.version} was corrected and is not known`)
  return {
    type: 'result',
    run_id: dryRun ? null : runId,
    dry_run: dryRun,
    version: price.version,
    model: old.model,
    price_list: old.priceList,
    old: shownRates(old),
    new: shownRates(price),
    from: timeText(from),
    to: timeText(to),
    accounts,
    requests,
    created,
    problems,
    before: formatExact(before),
    after: formatExact(after),
    amount: formatExact(amount),
  }
}

function shownRates({ input, cachedInput, output }: Rates) {
  return {
    input: formatPricePerMillion(input),
    cached_input: formatPricePerMillion(cachedInput),
    output: formatPricePerMillion(output),
  }
}

function sumOf({ paid, promotional }: CorrectionDue): bigint {
  return paid + promotional
}
