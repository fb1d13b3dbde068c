/**
 * The month of a made-up business, by the public and the admin API alone, and what must come out of
 * it by a calculation of its own: it knows nothing of how svc adds up.
 *
 * The clock of a server cannot be set: all of it happens now, in the current month in UTC, and the
 * price changes in the middle of the requests. Nothing expires.
 */
import { randomUUID } from 'node:crypto'
import type { Operations } from '@svc/contracts/admin/operations'

const PICO = 1_000_000_000_000n
const DECIMALS = 12
const IN_FLIGHT = 16
/** Of every this many requests one is given back. */
const REFUND_EVERY = 10
const MODEL = 'svc-beta'

/** Pico-dollars per token: the first price, the wrong one in the middle, and the right one. */
const prices = [
  { input: 300_000n, cached: 30_000n, output: 1_200_000n },
  { input: 900_000n, cached: 90_000n, output: 2_400_000n },
  { input: 450_000n, cached: 45_000n, output: 1_300_000n },
] as const
type Rates = (typeof prices)[number]

export interface Business {
  readonly operations: Operations
  readonly baseUrl: string
  readonly customers: number
  readonly requests: number
}

/** Pico-dollars. */
export interface Expected {
  payments: bigint
  promotional: bigint
  used: bigint
  refunded: bigint
  corrected: bigint
}

interface Customer {
  readonly accountId: string
  readonly secret: string
  readonly expected: Expected
}

/** @returns what the month must show of each account */
export async function liveThroughAMonth(
  business: Business,
): Promise<ReadonlyMap<string, Readonly<Expected>>> {
  const { operations, requests } = business
  const [first, wrong, right] = prices
  await publish(operations, first)
  const customers = await openCustomers(business)
  const third = Math.floor(requests / 3)
  await serve(business, customers, { from: 0, to: third, rates: first })
  const version = await publish(operations, wrong)
  await serve(business, customers, { from: third, to: 2 * third, rates: wrong, meant: right })
  await publish(operations, right)
  await serve(business, customers, { from: 2 * third, to: requests, rates: right })
  const run = operations.correctPrice({
    version,
    ...textOfRates(right),
    from: null,
    to: null,
    reference: null,
    reason: 'the price was wrong',
    dry_run: false,
    idempotency_key: randomUUID(),
  })
  for await (const _line of run);
  return new Map(customers.map(({ accountId, expected }) => [accountId, expected]))
}

async function publish(operations: Operations, rates: Rates): Promise<string> {
  const asked = { model: MODEL, ...textOfRates(rates), effective_from: null, confirm: true }
  return (await operations.publishPrice(asked)).version
}

function textOfRates({ input, cached, output }: Rates) {
  const perMillion = (rate: bigint) => dollarsOf(rate * 1_000_000n)
  return {
    input: perMillion(input),
    cached_input: perMillion(cached),
    output: perMillion(output),
  }
}

/** Each pays, is given something, and every second one has that taken back. */
async function openCustomers({ operations, customers }: Business): Promise<readonly Customer[]> {
  const opened: Customer[] = []
  for (let index = 0; index < customers; index += 1) {
    const name = `customer ${index}`
    const { account_id } = await operations.openAccount({ name, spend_policy: 'standard' })
    const key = await operations.createKey({ account_id, name: 'key', expires_at: null })
    const expected = { payments: 0n, promotional: 0n, used: 0n, refunded: 0n, corrected: 0n }
    const grant = (amount: bigint, category: 'paid' | 'promotional') =>
      operations.grant({
        account_id,
        category,
        amount: dollarsOf(amount),
        priority: 100,
        expires_at: null,
        reference: `${category} ${index}`,
        reason: 'for the month',
      })
    expected.payments = (100n + BigInt(index)) * PICO + BigInt(index)
    await grant(expected.payments, 'paid')
    expected.promotional = PICO / 3n
    const { grant_id } = await grant(expected.promotional, 'promotional')
    if (index % 2 === 1) {
      const terms = { account_id, grant_id, reference: null, dry_run: false }
      await operations.voidGrant({ ...terms, reason: 'not meant for them' })
      expected.corrected -= expected.promotional
    }
    opened.push({ accountId: account_id, secret: key.secret ?? '', expected })
  }
  return opened
}

interface Part {
  readonly from: number
  readonly to: number
  readonly rates: Rates
  /** What should have been charged, where that is something else. */
  readonly meant?: Rates
}

async function serve(business: Business, customers: readonly Customer[], part: Part) {
  let next = part.from
  const serveOne = async (): Promise<void> => {
    while (next < part.to) {
      const index = next
      next += 1
      const customer = customers[index % customers.length]
      if (customer !== undefined) await serveRequest(business, customer, part, index)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, serveOne))
}

async function serveRequest(
  { operations, baseUrl }: Business,
  { accountId, secret, expected }: Customer,
  { rates, meant }: Part,
  index: number,
): Promise<void> {
  const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({
      model: MODEL,
      max_tokens: 1 + (index % 7),
      messages: [{ role: 'user', content: `What is number ${index}?` }],
    }),
  })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  const usage = tokensOf((await answer.json()) as Answer)
  const cost = costOf(usage, rates)
  expected.used += cost
  if (meant !== undefined) expected.corrected += cost - costOf(usage, meant)
  else if (index % REFUND_EVERY === 0) {
    const request_id = answer.headers.get('x-request-id') ?? ''
    const terms = { account_id: accountId, request_id, amount: null, reference: null }
    await operations.refund({ ...terms, dry_run: false, reason: 'was no good' })
    expected.refunded -= cost
  }
}

interface Answer {
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number }
  }
}

interface Tokens {
  readonly input: bigint
  readonly cached: bigint
  readonly output: bigint
}

function tokensOf({ usage }: Answer): Tokens {
  const cached = BigInt(usage.prompt_tokens_details?.cached_tokens ?? 0)
  return {
    input: BigInt(usage.prompt_tokens) - cached,
    cached,
    output: BigInt(usage.completion_tokens),
  }
}

function costOf(tokens: Tokens, rates: Rates): bigint {
  const { input, cached, output } = tokens
  return input * rates.input + cached * rates.cached + output * rates.output
}

function dollarsOf(pico: bigint): string {
  const decimals = (pico % PICO).toString().padStart(DECIMALS, '0')
  return `${pico / PICO}.${decimals}`.replace(/0+$/, '').replace(/\.$/, '')
}

/** @param dollars exact, with at most twelve decimals */
export function picoOf(dollars: string): bigint {
  const [whole = '0', decimals = ''] = dollars.replace('-', '').split('.')
  const pico = BigInt(whole) * PICO + BigInt(decimals.padEnd(DECIMALS, '0'))
  return dollars.startsWith('-') ? -pico : pico
}
