/** What the operator's operations answer: of a service that is used much, and of a new one. */
import type { AccountDetails } from '@svc/contracts/admin/accounts'
import { equationNames } from '@svc/contracts/admin/finance'
import type { OperationOutput } from '@svc/contracts/admin/operations'
import type { AdminAnswers } from './page-server.ts'
import { ACCOUNT, emptyAnswers, fullAnswers, HOSTILE, receipt } from './sample-answers.ts'

const AT = '2026-11-20T10:00:00.000Z'

const account: AccountDetails = {
  account_id: ACCOUNT,
  name: 'Analytical Engines',
  external_id: 'CRM-4711',
  metadata: { region: 'eu' },
  status: 'open',
  spend_policy: 'standard',
  settled: '41.2098313',
  held: '0.0123',
  available: '41.1975313',
  open_requests: 1,
  opened_at: AT,
  last_activity_at: AT,
  price_list: 'default',
  keys: [
    {
      key_id: 'key_1',
      name: HOSTILE,
      external_id: null,
      last_four: 'a1B2',
      status: 'active',
      created_at: AT,
      created_by: 'user:user_1',
      expires_at: null,
      revoked_at: null,
      last_used_at: AT,
      spent: '8.79016870',
    },
  ],
  grants: [
    {
      grant_id: 'grant_1',
      amount: '50.00',
      remaining: '41.2098313',
      category: 'paid',
      priority: 100,
      expires_at: null,
      granted_at: AT,
      voided_at: null,
    },
    {
      grant_id: 'grant_2',
      amount: '5.00',
      remaining: '0.00',
      category: 'promotional',
      priority: 100,
      expires_at: AT,
      granted_at: AT,
      voided_at: AT,
    },
  ],
}

const others = [
  { name: HOSTILE, status: 'frozen', available: '-0.0000123', settled: '-0.0000123' },
  { name: 'Zuse KG', status: 'closed', available: '0.00', settled: '0.00' },
] as const

const movement = {
  id: 'grant_1',
  created: false,
  dry_run: true,
  amount: '-50.00',
  balance_before: '41.2098313',
  balance_after: '-8.7901687',
}

const price = {
  version: 'price_0001',
  model: 'svc-beta',
  price_list: 'default',
  demo: true,
  input: '0.15',
  cached_input: '0.015',
  output: '0.60',
  effective_from: AT,
  published_at: AT,
  withdrawn_at: null,
}

const views = [
  { name: 'accounts', state: 'live', position: '182440', error: null },
  { name: 'usage', state: 'catching-up', position: '180000', error: null },
  { name: 'statements', state: 'failed', position: '12', error: 'Event evt_13 has no account.' },
] as const

const projections: OperationOutput<'listProjections'> = views.map((view) => ({
  ...view,
  version: 1,
  head: '182440',
  events: Number(view.position),
  behind_events: 182_440 - Number(view.position),
  behind_events_exact: view.state !== 'catching-up',
  behind_seconds: view.position === '182440' ? 0 : 42,
  rebuild:
    view.name === 'usage'
      ? { state: 'running', done: 90_000, total: 180_000, differences: null, error: null }
      : null,
}))

const status: OperationOutput<'status'> = {
  version: '0.1.0',
  mode: 'running',
  base_url: 'http://127.0.0.1:8080',
  data_dir: '/var/lib/svc',
  store: { kind: 'sqlite', position: '182440', problems: [] },
  feed: null,
  top_ups: null,
  projections: views.map((view) => ({ ...view, version: 1, head: '182440' })),
  workers: [],
  unpriced_models: ['svc-next'],
  priced_from: '2999-01-01T00:00:00.000Z',
  accounts: 3,
  open_requests: 1,
  overdue_holds: { count: 0, since: null },
}

const worker = {
  worker_id: 'w1',
  status: 'ready',
  model_name: 'toy.gguf',
  toy: true,
  restarts: 0,
  supervised: false,
  address: 'unix:w1.sock',
  setup: null,
  load: { sequences: 4, running: 1, queued: 0 },
  cache: null,
  problem: null,
}

const loggedEvent = {
  position: '182440',
  stream: `account-${ACCOUNT}`,
  revision: 12,
  type: 'AccountFrozen',
  id: '0d4c1fbe-9a71-8a5b-b3c1-24f1d0f6a0e2',
  hash: 'ab'.repeat(32),
  data: { at: Date.parse(AT) },
  metadata: { actor: 'user_1' },
}

export const nothingFound = {
  broken: 0,
  unreadable: 0,
  set_aside: 0,
  missing_positions: 0,
  contradicted: 0,
  texts_altered: 0,
  texts_missing: 0,
  texts_unfinished: 0,
}

export const monthSums = {
  opening: '0.00',
  payments: '50.00',
  promotional: '5.00',
  used: '8.7901687',
  expired: '0.00',
  refunded: '0.00',
  corrected: '-5.00',
  closing: '41.2098313',
}

/** The last line of a verification that found nothing. */
export const soundLog = {
  type: 'result',
  streams: 2,
  events: 20,
  broken: [],
  set_aside: [],
  unreadable: [],
  missing_positions: '0',
  contradicted: [],
  texts: { kept: 3, erased: 1, altered: [], missing: [], unfinished: [] },
  anchor: null,
  head: null,
  from: null,
  position: '19',
  kept: true,
} as const

export const fullAdminAnswers = {
  listAccounts: () => [
    { ...account, damaged: false, spent_30_days: '8.7901687' },
    ...others.map((other, index) => ({
      ...account,
      damaged: false,
      spent_30_days: '0.00',
      ...other,
      account_id: `acct_0${index + 2}other`,
      external_id: null,
      held: '0.00',
      open_requests: 0,
    })),
  ],
  searchAccounts: () => ({
    accounts: [{ ...account, damaged: false, spent_30_days: '8.7901687' }],
    next_cursor: null,
  }),
  sumAccounts: () => ({
    accounts: 3,
    damaged: 0,
    open_requests: 1,
    settled: '41.209819',
    held: '0.0123',
    available: '41.197519',
    spent_30_days: '8.7901687',
  }),
  listQuarantine: () => [],
  showAccount: () => account,
  listHolds: () => ({
    holds: [
      { request_id: 'req_2', account_id: ACCOUNT, held: '0.0123', held_since: AT, deadline: AT },
    ],
    next_cursor: null,
  }),
  accountRequests: () => ({ ...fullAnswers.requests(), position: '182440' }),
  accountRequestTotals: (input) => ({ ...fullAnswers.requestTotals(input), position: '182440' }),
  accountUsage: (input) => {
    const { as_of: _, ...usage } = fullAnswers.usage(input)
    return { ...usage, position: '182440' }
  },
  explain: () => ({ ...receipt, account_id: ACCOUNT }),
  statement: () => {
    const { opening, closing, over, data } = fullAnswers.accountStatement()
    const rows = data.map((entry) => ({ ...entry, actor: 'operator' }))
    return { account_id: ACCOUNT, position: '182440', opening, closing, over, rows, more: false }
  },
  voidGrant: () => movement,
  listPrices: () => [
    price,
    { ...price, version: 'price_0002', input: '0.125', effective_from: '2027-01-01T00:00:00Z' },
    { ...price, version: 'price_0003', price_list: 'partners', withdrawn_at: AT },
  ],
  status: () => status,
  listProjections: () => projections,
  listWorkers: () => [
    worker,
    { ...worker, worker_id: 'w2', status: 'unreachable', load: null, problem: HOSTILE },
  ],
  evidenceKey: () => ({
    key: `svc.example+1a2b3c4d+${'A'.repeat(44)}`,
    rotations: ['a note'],
    checkpoint: `svc.example\n182441\n${'B'.repeat(44)}\n`,
    verified_to: 182_441,
  }),
  lastBackup: () => ({
    backup: { folder: '/srv/svc/backups/2026-11-20T10-00-00.000Z', written_at: AT },
  }),
  lastVerification: () => ({
    verification: {
      verified_at: AT,
      verified_by: 'user:user_1',
      from: null,
      position: '182440',
      streams: 5,
      events: 182_441,
      head: `182440-${'ab'.repeat(32)}`,
      anchor: null,
      ok: true,
      found: nothingFound,
    },
  }),
  reconcile: () => [
    { type: 'progress', part: 'log', share: 0.5, events: 91_220, rate: 40_000 },
    {
      type: 'result',
      equations: equationNames.map((name) => ({
        name,
        ok: name !== 'views',
        difference: name === 'views' ? '1' : '0',
      })),
      ok: false,
      findings: [
        { equation: 'views', subject: 'usage', problem: 'A row differs.', difference: '1' },
      ],
      trial_balance: [],
      events: 182_441,
      accounts: 3,
      position: '182440',
    },
  ],
  listUsers: () => [
    {
      user_id: 'user_1',
      email: 'ada@example.com',
      display_name: 'Ada Lovelace',
      status: 'active',
      platform_role: 'owner',
      accounts: [{ account_id: ACCOUNT, role: 'owner' }],
      joined_at: AT,
    },
    {
      user_id: 'user_2',
      email: `${'x'.repeat(60)}@example.com`,
      display_name: HOSTILE,
      status: 'active',
      platform_role: null,
      accounts: [],
      joined_at: AT,
    },
    {
      user_id: 'user_3',
      email: null,
      display_name: null,
      status: 'erased',
      platform_role: null,
      accounts: [],
      joined_at: AT,
    },
  ],
  listInvitations: () => [
    {
      invitation_id: 'inv_1',
      kind: 'invitation',
      platform_role: 'auditor',
      account_id: null,
      account_role: null,
      user_id: null,
      created_at: AT,
      created_by: 'operator',
      expires_at: AT,
    },
  ],
  listAdminTokens: () => [
    {
      token_id: 'tok_1',
      name: 'billing-export',
      role: 'auditor',
      last_four: 'a1B2',
      status: 'active',
      created_at: AT,
      created_by: 'operator',
      expires_at: null,
      revoked_at: null,
    },
  ],
  findEvent: () => loggedEvent,
  newestEvents: () => ({
    events: [loggedEvent],
    more: false,
    next: null,
  }),
} satisfies AdminAnswers

export const emptyAdminAnswers = {
  ...fullAdminAnswers,
  listAccounts: () => [],
  searchAccounts: () => ({ accounts: [], next_cursor: null }),
  sumAccounts: () => ({
    accounts: 0,
    damaged: 0,
    open_requests: 0,
    settled: '0.00',
    held: '0.00',
    available: '0.00',
    spent_30_days: '0.00',
  }),
  showAccount: () => ({ ...account, keys: [], grants: [], open_requests: 0 }),
  listHolds: () => ({ holds: [], next_cursor: null }),
  accountRequests: () => ({
    ...fullAdminAnswers.accountRequests(),
    data: [],
    has_more: false,
    next_cursor: null,
  }),
  accountUsage: () => {
    const { as_of: _, ...usage } = emptyAnswers.usage()
    return { ...usage, position: '182440' }
  },
  statement: () => ({ ...fullAdminAnswers.statement(), rows: [] }),
  listPrices: () => [],
  listWorkers: () => [],
  evidenceKey: () => ({ key: 'svc.example', rotations: [], checkpoint: null, verified_to: null }),
  lastBackup: () => ({ backup: null }),
  lastVerification: () => ({ verification: null }),
  listInvitations: () => [],
  listAdminTokens: () => [],
  newestEvents: () => ({ events: [], more: false, next: null }),
} satisfies AdminAnswers
