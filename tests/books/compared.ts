/** Compares accounts and what is shown of them with what they should be. */
import { formatExact, parseDollars } from '@svc/contracts/money'
import type { Gateway } from './books-service.ts'
import { compareMonths } from './compared-months.ts'
import type { ReferenceAccount } from './reference-account.ts'
import { type Pair, same, type World } from './world.ts'

export async function compareAll(world: World, on: Pick<Gateway, 'ledger'>): Promise<void> {
  for (const pair of world.pairs) {
    pair.model.expire(world.now)
    await compare(pair, on)
  }
}

export async function compare(
  { accountId, model }: Pair,
  { ledger }: Pick<Gateway, 'ledger'>,
): Promise<void> {
  const account = await ledger.account(accountId)
  const { settled, held, available } = await ledger.balance(accountId)
  const is = {
    status: account.status,
    settled,
    held,
    available,
    open: account.openRequests,
    policy: account.spendPolicy,
    list: account.priceList,
    grants: account.grants
      .map((grant) => {
        const { grantId, amount, remaining, category, priority, expiresAt, voidedAt } = grant
        return `${grantId} ${amount} ${remaining} ${category} ${priority} ${expiresAt} ${voidedAt !== null}`
      })
      .toSorted(),
  }
  const should = {
    status: model.isClosed ? 'closed' : model.isFrozen ? 'frozen' : 'open',
    settled: model.balance,
    held: model.held,
    available: model.available,
    open: model.running.length,
    policy: model.policy,
    list: model.list,
    grants: model.grants
      .map((grant) => {
        const { id, amount, left, category, priority, expiresAt, isVoided } = grant
        return `${id} ${amount} ${left} ${category} ${priority} ${expiresAt} ${isVoided}`
      })
      .toSorted(),
  }
  same(`account ${accountId}`, is, should)
}

export async function compareViews(world: World): Promise<void> {
  const { operations } = world.gateway(0)
  for (const { accountId: account_id, model } of world.pairs) {
    const { rows, closing } = await operations.statement({ account_id, limit: 1_000 })
    const entries = rows.map((row) => {
      const amount = parseDollars(row.credit) - parseDollars(row.debit)
      return { type: row.type, amount }
    })
    let balance = 0n
    for (const [index, { amount }] of entries.entries()) {
      balance += amount
      same('running balance', rows[index]?.balance, formatExact(balance))
    }
    same('closing', closing, formatExact(model.balance))
    same('entries', sorted(entries), sorted(model.movements))
    await compareUse(world, account_id, model)
    await compareLists(world, account_id, model)
  }
  await compareMonths(world)
}

async function compareUse(
  world: World,
  account_id: string,
  model: ReferenceAccount,
): Promise<void> {
  const { operations } = world.gateway(1)
  const period = { from: '2027-01-01', to: '2029-01-01', by: 'month' as const }
  const { total } = await operations.accountUsage({ account_id, ...period })
  const charged = Object.values(model.requests).filter(({ status }) => status === 'charged')
  const tokens = (name: 'input' | 'cached' | 'output') =>
    charged.reduce((all, request) => all + request.tokens[name], 0)
  const is = {
    requests: total.requests,
    amount: total.amount,
    lines: Object.fromEntries(total.lines.map((line) => [line.class, line.tokens])),
  }
  const amount = charged.reduce((all, request) => all + request.amount, 0n)
  same('usage', is, {
    requests: charged.length,
    amount: formatExact(amount),
    lines: { input: tokens('input'), cached_input: tokens('cached'), output: tokens('output') },
  })
  for (const [request_id, { amount, status, refunds }] of Object.entries(model.requests)) {
    if (status !== 'charged') continue
    const receipt = await operations.explain({ request_id })
    const refunded = refunds.reduce((all, refund) => all + refund.amount, 0n)
    await compareSlices(world, request_id, model)
    same('receipt', [receipt.amount, receipt.refunded], [amount, refunded].map(formatExact))
  }
}

export async function compareSlices(
  world: World,
  request_id: string,
  model: ReferenceAccount,
): Promise<void> {
  const request = model.requests[request_id]
  if (request?.status !== 'charged') return
  const { grants, usage } = await world.gateway(1).operations.explain({ request_id })
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = usage
  same('tokens', { input, cached, output }, request.tokens)
  same(
    'slices',
    grants.map(({ grant_id, amount }) => `${grant_id} ${amount}`),
    request.slices.map(({ grant, amount }) => `${model.grants[grant]?.id} ${formatExact(amount)}`),
  )
}

async function compareLists(
  world: World,
  account_id: string,
  model: ReferenceAccount,
): Promise<void> {
  const { operations } = world.gateway(1)
  const { grants } = await operations.listGrants({ account_id, which: 'all', limit: 1_000 })
  same(
    'grants',
    grants.map(({ grant_id, remaining }) => `${grant_id} ${remaining}`).toSorted(),
    model.grants.map(({ id, left }) => `${id} ${formatExact(left)}`).toSorted(),
  )
  await compareHolds(world, account_id, model)
}

export async function compareHolds(
  world: World,
  account_id: string,
  model: ReferenceAccount,
): Promise<void> {
  const { operations } = world.gateway(1)
  const { holds } = await operations.listHolds({ account_id, limit: 1_000 })
  same(
    'holds',
    holds.map(({ request_id, held }) => `${request_id} ${held}`).toSorted(),
    Object.entries(model.requests)
      .filter(([, { status }]) => status === 'running')
      .map(([id, { hold }]) => `${id} ${formatExact(hold)}`)
      .toSorted(),
  )
}

/** Expiries are booked in one or in several, depending on who looked. */
function sorted(all: readonly { type: string; amount: bigint }[]): readonly string[] {
  const expired = all.filter(({ type }) => type === 'expiry')
  const others = all.filter(({ type }) => type !== 'expiry')
  const sum = expired.reduce((total, { amount }) => total + amount, 0n)
  return [`expiry ${sum}`, ...others.map(({ type, amount }) => `${type} ${amount}`).toSorted()]
}
