/** Answers of an account that is used much, and of one that is new; with names that hurt. */
import type { DashboardInput, DashboardOutput } from '@svc/contracts/dashboard/operations'
import { formatExact, parseDollars } from '@svc/contracts/money'
import type { Answers } from './page-server.ts'

export const ACCOUNT = 'acct_01sample'
const AT = '2026-11-20T10:00:00.000Z'
const asOf = { position: '182440', at: AT }
/** Markup, another direction of writing, and no place to break the line at. */
export const HOSTILE = `<img src=x onerror=alert(1)>\u202e ${'w'.repeat(120)}`

type Session = DashboardOutput<'session'>
type Requests = DashboardOutput<'requests'>
type Receipt = DashboardOutput<'receipt'>
type Usage = DashboardOutput<'usage'>
type Statement = DashboardOutput<'accountStatement'>

export const session: Session = {
  user: {
    user_id: 'user_1',
    email: 'ada@example.com',
    display_name: 'Ada Lovelace',
    has_password: true,
    is_linked: false,
  },
  platform_role: null,
  accounts: [
    { account_id: ACCOUNT, name: 'Analytical Engines', role: 'owner', status: 'open' },
    { account_id: 'acct_02other', name: HOSTILE, role: 'member', status: 'frozen' },
  ],
  idle_expires_at: '2026-11-21T10:00:00.000Z',
  expires_at: '2026-12-20T10:00:00.000Z',
  branding: {
    name: 'svc',
    logo: null,
    color: null,
    support: 'help@example.com',
    terms_url: null,
    low_balance: '1.00',
    credit_text: null,
  },
  sign_up: 'open',
  ways_in: { provider_label: 'Analytical sign-on', passkeys: true, proxy_email: null },
  base_url: 'http://127.0.0.1:8080',
  version: '0.1.0',
  now: AT,
}

export const signedOut: Session = {
  ...session,
  user: null,
  accounts: [],
  idle_expires_at: null,
  expires_at: null,
}

const price = {
  version: 'price_0001',
  input: '0.15',
  cached_input: '0.015',
  output: '0.60',
  effective_from: '2026-11-01T00:00:00.000Z',
}

const balance: DashboardOutput<'accountHome'>['balance'] = {
  object: 'balance',
  currency: 'USD',
  settled: '41.2098313',
  held: '0.0123',
  available: '41.1975313',
  expiring: {
    total: '16.50',
    grants: [
      { grant_id: 'grant_2', remaining: '1.25', expires_at: '2026-12-01T00:00:00.000Z' },
      { grant_id: 'grant_1', remaining: '15.00', expires_at: '2027-03-31T22:00:00.000Z' },
    ],
  },
}

const lines = [
  { class: 'input', tokens: 86, amount: '0.0000129' },
  { class: 'cached_input', tokens: 17_817, amount: '0.000267255' },
  { class: 'output', tokens: 412, amount: '0.0002472' },
] as const

const key = { id: 'key_1', name: HOSTILE }

const refundedOf: Partial<Record<Requests['data'][number]['status'], string>> = {
  finished: '0.000527355',
  stopped: '0.0001',
}

function requestNamed(id: string, status: Requests['data'][number]['status']) {
  return {
    object: 'request' as const,
    id,
    status,
    key,
    model: 'svc-beta',
    format: 'chat' as const,
    usage: {
      input_tokens: 86,
      cached_input_tokens: 17_817,
      output_tokens: 412,
      reasoning_tokens: 0,
    },
    price_version: price.version,
    amount: status === 'failed' ? '0.00' : '0.000527355',
    refunded: refundedOf[status] ?? '0.00',
    created_at: AT,
    ended_at: AT,
    finish_reason: 'stop' as const,
    reason: null,
    first_token_ms: status === 'failed' ? null : 240,
    total_ms: status === 'failed' ? null : 5_210,
  }
}

const requests: Requests = {
  as_of: asOf,
  object: 'list',
  data: [
    requestNamed('req_1', 'finished'),
    requestNamed('req_2', 'running'),
    requestNamed('req_3', 'stopped'),
    requestNamed('req_4', 'failed'),
  ],
  has_more: true,
  next_cursor: 'c1.more',
}

type Totals = DashboardOutput<'requestTotals'>
type TotalsAsked = Pick<DashboardInput<'requestTotals'>, 'status' | 'from' | 'to' | 'zone'>

const charged = { input_tokens: 86_000, cached_input_tokens: 17_817_000, output_tokens: 412_000 }
const noTokens = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }
const totals: Totals['data'] = [
  { status: 'finished', requests: 4_000, ...charged, amount: '2.10942' },
  { status: 'stopped', requests: 100, ...charged, amount: '0.00527355001' },
  { status: 'failed', requests: 20, ...noTokens, amount: '0.00' },
]

function totalsOf({ status, from, to, zone = 'UTC' }: TotalsAsked): Totals {
  const data = totals.filter((each) => status === undefined || each.status === status)
  const sum = (of: (each: (typeof data)[number]) => number) =>
    data.reduce((all, each) => all + of(each), 0)
  return {
    as_of: asOf,
    object: 'request_totals',
    currency: 'USD',
    zone,
    data,
    from: from === undefined ? null : `${from}T00:00:00Z`,
    to: to === undefined ? null : `${to}T00:00:00Z`,
    over: false,
    total: {
      requests: sum(({ requests: count }) => count),
      input_tokens: sum((each) => each.input_tokens),
      cached_input_tokens: sum((each) => each.cached_input_tokens),
      output_tokens: sum((each) => each.output_tokens),
      amount: formatExact(data.reduce((all, { amount }) => all + parseDollars(amount), 0n)),
    },
  }
}

export const receipt: Receipt = {
  ...requestNamed('req_1', 'finished'),
  key_id: key.id,
  key_name: key.name,
  price,
  lines: lines.map((line) => ({
    ...line,
    price: { input: '0.15', cached_input: '0.015', output: '0.60' }[line.class],
  })),
  hold: '0.0123',
  balance_after: '41.2098313',
  grants: [{ grant_id: 'grant_1', amount: '0.000527355' }],
  refunded: '0.00',
  refunds: [],
  events: [
    {
      type: 'RequestAccepted',
      stream: `account-${ACCOUNT}`,
      revision: 12,
      id: 'evt_1',
      hash: 'ab'.repeat(32),
    },
    {
      type: 'RequestSettled',
      stream: `account-${ACCOUNT}`,
      revision: 13,
      id: 'evt_2',
      hash: 'cd'.repeat(32),
    },
  ],
  cache: {
    schedule: 'any-token',
    reused_tokens: 4_448,
    blocks: 139,
    source: 'l1',
    last_block_hash: 'ef'.repeat(32),
    evaluated_tokens: 86,
    worker: 'w1',
  },
  timings: {
    accepted_at: AT,
    ended_at: AT,
    worker: { queueMs: 3, prefillMs: 210, firstTokenMs: 240, totalMs: 5_210 },
  },
}

function usageOfDays(count: number): Usage {
  const days = Array.from({ length: count }, (_, index) => String(index + 1).padStart(2, '0'))
  const used = { requests: 12, lines: [...lines], amount: '0.000527355' }
  return {
    as_of: asOf,
    object: 'usage',
    currency: 'USD',
    zone: 'UTC',
    by: 'day',
    group_by: [],
    from: '2026-11-01T00:00:00+00:00',
    to: '2026-12-01T00:00:00+00:00',
    over: false,
    data: days.map((day) => ({
      from: `2026-11-${day}T00:00:00+00:00`,
      to: `2026-11-${day}T23:59:59+00:00`,
      ...used,
    })),
    total: used,
    has_more: false,
    next_cursor: null,
  }
}

function entry(number: number, type: Statement['data'][number]['type']) {
  const isUsage = type === 'usage'
  return {
    entry: number,
    at: AT,
    type,
    reference: isUsage ? 'req_1' : 'grant_1',
    payment_reference: isUsage ? null : 'INV-42',
    description: isUsage ? 'svc-beta' : HOSTILE,
    debit: isUsage ? '0.000527355' : '0.00',
    credit: isUsage ? '0.00' : '50.00',
    balance: '41.2098313',
    key: isUsage ? key : null,
    model: isUsage ? 'svc-beta' : null,
    format: isUsage ? ('chat' as const) : null,
    tokens: isUsage ? { input: 86, cached_input: 17_817, output: 412 } : null,
    price_version: isUsage ? price.version : null,
    paid: '0.00',
    promotional: '0.00',
    unpaid: '0.00',
    reason: null,
    event: { stream: `account-${ACCOUNT}`, revision: number, hash: 'ab'.repeat(32) },
  }
}

const statement: Statement = {
  as_of: asOf,
  object: 'statement',
  currency: 'USD',
  opening: '0.00',
  closing: '41.2098313',
  over: false,
  data: [entry(1, 'grant'), entry(2, 'usage'), entry(3, 'refund'), entry(4, 'adjustment')],
  has_more: false,
  next_cursor: null,
}

const people = {
  listMembers: () => [
    {
      user_id: 'user_1',
      email: 'ada@example.com',
      display_name: 'Ada Lovelace',
      role: 'owner' as const,
      status: 'active' as const,
      joined_at: AT,
    },
  ],
  listPasskeys: () => [
    { passkey_id: 'pk_1', name: 'Laptop', created_at: AT, last_used_at: AT },
    { passkey_id: 'pk_2', name: HOSTILE, created_at: AT, last_used_at: null },
  ],
  listSessions: () => [
    {
      session_id: 'sess_1',
      current: true,
      created_at: AT,
      last_used_at: AT,
      expires_at: AT,
      address: '127.0.0.1',
      user_agent: 'Chromium 156',
    },
  ],
} satisfies Answers

export const fullAnswers = {
  ...people,
  session: () => session,
  lookAtLink: () => ({
    kind: 'invitation' as const,
    expires_at: AT,
    platform_role: null,
    account: { account_id: ACCOUNT, name: HOSTILE, role: 'member' as const },
  }),
  accountHome: () => ({
    account_id: ACCOUNT,
    name: 'Analytical Engines',
    status: 'open' as const,
    spend_policy: 'hold' as never,
    balance,
    open_requests: 1,
    keys: { active: 2 },
    month: usageOfDays(20),
    as_of: asOf,
  }),
  accountBalance: () => ({ ...balance, as_of: asOf }),
  usage: ({ group_by: group }) => {
    const usage = usageOfDays(20)
    if (group === undefined) return usage
    return { ...usage, group_by: ['key'], data: usage.data.map((row) => ({ ...row, key })) }
  },
  requests: () => requests,
  requestTotals: ({ status, from, to, zone = 'UTC' }) => totalsOf({ status, from, to, zone }),
  receipt: () => receipt,
  accountStatement: ({ order }: { readonly order?: string | undefined } = {}) =>
    order === 'newest' ? { ...statement, data: statement.data.toReversed() } : statement,
  prices: () => ({
    object: 'list',
    currency: 'USD',
    per_tokens: 1_000_000,
    data: [{ object: 'price', model: 'svc-beta', price, next_price: null }],
  }),
  accountEvent: () => ({ type: 'CreditDebited', at: AT, request_id: 'chatcmpl-1' }),
  listAccountKeys: () => [
    {
      key_id: key.id,
      name: HOSTILE,
      last_four: 'a1B2',
      status: 'active',
      is_chat: false,
      created_at: AT,
      created_by: 'user_1',
      expires_at: null,
      revoked_at: null,
      last_used_at: AT,
      requests: 1_204,
      spent: '8.79016870',
      spent_30_days: '8.79016870',
    },
    {
      key_id: 'key_2',
      name: 'Old one',
      last_four: 'zzzz',
      status: 'revoked',
      is_chat: false,
      created_at: AT,
      created_by: null,
      expires_at: null,
      revoked_at: AT,
      last_used_at: null,
      requests: 0,
      spent: '0.00',
      spent_30_days: '0.00',
    },
  ],
  listAccountInvitations: () => [
    { invitation_id: 'inv_1', role: 'member', created_at: AT, expires_at: AT },
  ],
} satisfies Answers

export const emptyAnswers = {
  ...fullAnswers,
  accountHome: () => ({
    ...fullAnswers.accountHome(),
    balance: {
      ...balance,
      settled: '0.00',
      held: '0.00',
      available: '0.00',
      expiring: { total: '0.00', grants: [] },
    },
    open_requests: 0,
    keys: { active: 0 },
    month: usageOfDays(0),
  }),
  usage: () => usageOfDays(0),
  requests: () => ({ ...requests, data: [], has_more: false, next_cursor: null }),
  requestTotals: () => {
    return { ...totalsOf({}), data: [], total: { requests: 0, ...noTokens, amount: '0.00' } }
  },
  accountStatement: () => ({ ...statement, closing: '0.00', data: [] }),
  listAccountKeys: () => [],
  listAccountInvitations: () => [],
} satisfies Answers
