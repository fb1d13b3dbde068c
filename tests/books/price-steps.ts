/** Prices are published, withdrawn and made good. */

import { ServiceError } from '@svc/contracts/errors'
import { formatExact, formatPricePerMillion, parseDollars } from '@svc/contracts/money'
import type { PriceRun, Rates } from './reference-request.ts'
import type { Step } from './steps.ts'
import { Difference, type Pair, type Price, type World } from './world.ts'

const PRICE_NOTICE_MS = 60_000
const MODEL = 'svc-beta'
const reason = 'a test'

interface CorrectedLine {
  readonly requests: number
  readonly before: string
  readonly after: string
  readonly paid: string
  readonly promotional: string
  readonly created: boolean
  readonly problem: string | null
}

export async function publish(
  world: World,
  { gateway, rates, startsIn }: Extract<Step, { type: 'publish' }>,
) {
  const { operations } = world.gateway(gateway)
  const from = startsIn === null ? world.now : world.now + startsIn
  const isTaken = world.prices.some(
    (price) => price.list === world.list && price.from === from && !price.withdrawn,
  )
  const shown = shownRates(rates)
  const effective_from = startsIn === null ? null : new Date(from).toISOString()
  const named = { model: MODEL, price_list: world.list, effective_from, confirm: true }
  const code = await codeOf(async () => {
    const { version } = await operations.publishPrice({ ...named, ...shown })
    world.prices.push({ version, list: world.list, rates, from, withdrawn: false })
  })
  const should = isTaken && startsIn !== null ? 'conflict' : 'done'
  if (code !== should) throw new Difference(`publish: ${code}, should ${should}`)
  for (const { ledger } of world.service.gateways) await ledger.pricing.lookAgain()
}

export async function withdraw(
  world: World,
  { gateway, which }: Extract<Step, { type: 'withdraw' }>,
) {
  const own = world.prices.filter(({ list }) => list === world.list)
  const price = own[which % own.length]
  if (price === undefined) return
  const { operations } = world.gateway(gateway)
  const { version } = price
  const code = await codeOf(() => operations.withdrawPrice({ version, reason }))
  const isLate = !price.withdrawn && price.from <= world.now + PRICE_NOTICE_MS
  if (code !== (isLate ? 'conflict' : 'done')) throw new Difference(`withdraw: ${code}`)
  if (!isLate) price.withdrawn = true
  for (const { ledger } of world.service.gateways) await ledger.pricing.lookAgain()
}

export async function correct(world: World, step: Extract<Step, { type: 'correct' }>) {
  const { gateway, rates, which, key, isTrial } = step
  const own = world.prices.filter(({ list }) => list === world.list)
  const price = own[which % own.length]
  if (price === undefined) return
  const at = world.now
  const times = world.pairs
    .flatMap(({ model }) => Object.values(model.requests).map(({ acceptedAt }) => acceptedAt))
    .toSorted((a, b) => a - b)
  const timeOf = (place: number | null): number | undefined =>
    place === null ? undefined : times[Math.floor((times.length * place) / 4)]
  const [from, to] = [timeOf(step.from), timeOf(step.to)]
  const runKey = `run-${world.list}-${key}`
  const begun = isTrial ? undefined : world.runs.get(runKey)
  const run: PriceRun = begun ?? {
    id: isTrial ? 'trial' : runKey,
    version: price.version,
    rates,
    from: from ?? 0,
    to: to ?? at,
  }
  const asked = { version: price.version, rates, from, to }
  const should = begun ? refusalOfRun(begun, asked) : refusalOfCorrection(world, price, asked, at)
  const { operations } = world.gateway(gateway)
  const text = (time: number | undefined) =>
    time === undefined ? null : new Date(time).toISOString()
  const idempotency_key = isTrial ? undefined : runKey
  const terms = { reason, dry_run: isTrial, idempotency_key }
  const lines = new Map<string, CorrectedLine>()
  const code = await codeOf(async () => {
    const period = { from: text(from), to: text(to) }
    const right = { version: price.version, ...shownRates(rates) }
    for await (const line of operations.correctPrice({ ...right, ...period, ...terms })) {
      if (line.type === 'account') lines.set(line.account_id, line)
    }
  })
  if (code !== should) throw new Difference(`correct: ${code}, should ${should}`)
  if (should !== 'done') return `correct ${should}`
  if (!isTrial) world.runs.set(runKey, run)
  for (const pair of world.pairs)
    await corrected(world, pair, run, lines.get(pair.accountId), isTrial)
  return 'correct done'
}

function refusalOfCorrection(
  world: World,
  price: Price,
  { rates, from, to }: { rates: Rates; from: number | undefined; to: number | undefined },
  at: number,
): string {
  if (price.withdrawn || price.from > at) return 'conflict'
  if (isSameRates(rates, price.rates)) return 'invalid_value'
  if (to === undefined && world.inForce(price.list) === price) return 'conflict'
  if (to !== undefined && to > at) return 'invalid_value'
  if ((from ?? 0) >= (to ?? at)) return 'invalid_value'
  return 'done'
}

async function corrected(
  world: World,
  { accountId, model }: Pair,
  run: PriceRun,
  line: CorrectedLine | undefined,
  isTrial: boolean,
): Promise<void> {
  const runAmount = `${run.id} ${accountId}`
  const about = model.correction(run)
  const isDone = model.hasRun(run.id)
  if (line === undefined) {
    if (about.requests + about.running > 0) throw new Difference(`no line of ${accountId}`)
    return
  }
  const is = [line.paid, line.promotional].map(parseDollars)
  const should = isDone ? (world.runAmounts.get(runAmount) ?? []) : [about.paid, about.promotional]
  const hasProblem = !isDone && (about.running > 0 || (model.isClosed && about.differing > 0))
  const account = await world.gateway(0).ledger.account(accountId)
  const known = new Set(model.grants.map(({ id }) => id))
  const made = account.grants.filter(({ grantId }) => !known.has(grantId))
  const idOf = (category: string) =>
    made.find((grant) => grant.category === category)?.grantId ?? ''
  const created =
    !isTrial &&
    model.correct(run, { paid: idOf('paid'), promotional: idOf('promotional') }, world.now)
  if (created) {
    world.runAmounts.set(runAmount, [about.paid, about.promotional])
  }
  const shown = [`${is}`, line.created, line.problem !== null, line.requests]
  const expected = [`${should}`, created, hasProblem, about.requests]
  if (!isDone) {
    shown.push(line.before, line.after)
    expected.push(formatExact(about.before), formatExact(about.after))
  }
  if (`${shown}` !== `${expected}`) {
    throw new Difference(`corrected ${accountId}: ${shown}, should ${expected} (${line.problem})`)
  }
}

function refusalOfRun(
  begun: PriceRun,
  asked: { version: string; rates: Rates; from: number | undefined; to: number | undefined },
): string {
  const isSame =
    begun.version === asked.version &&
    isSameRates(begun.rates, asked.rates) &&
    (asked.from === undefined || asked.from === begun.from) &&
    (asked.to === undefined || asked.to === begun.to)
  return isSame ? 'done' : 'conflict'
}

function isSameRates(one: Rates, other: Rates): boolean {
  return one.input === other.input && one.cached === other.cached && one.output === other.output
}

function shownRates({ input, cached, output }: Rates) {
  return {
    input: formatPricePerMillion(input),
    cached_input: formatPricePerMillion(cached),
    output: formatPricePerMillion(output),
  }
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    if (error instanceof ServiceError) return error.code
    throw error
  }
}
