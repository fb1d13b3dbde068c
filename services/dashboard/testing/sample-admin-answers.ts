/** What the operator's operations answer: of a service that is used much, and of a new one. */
import type { AccountDetails } from '@svc/contracts/admin/accounts'
import type { AdminAnswers } from './page-server.ts'
import { ACCOUNT, fullAnswers, HOSTILE, receipt } from './sample-answers.ts'

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

export const fullAdminAnswers = {
  listAccounts: () => [
    account,
    ...others.map((other, index) => ({
      ...account,
      ...other,
      account_id: `acct_0${index + 2}other`,
      external_id: null,
      held: '0.00',
      open_requests: 0,
    })),
  ],
  showAccount: () => account,
  listHolds: () => ({
    holds: [
      { request_id: 'req_2', account_id: ACCOUNT, held: '0.0123', held_since: AT, deadline: AT },
    ],
    next_cursor: null,
  }),
  accountRequests: () => fullAnswers.requests(),
  explain: () => ({ ...receipt, account_id: ACCOUNT }),
  statement: () => {
    const { opening, closing, data } = fullAnswers.accountStatement()
    const rows = data.map((entry) => ({ ...entry, actor: 'operator' }))
    return { account_id: ACCOUNT, position: '182440', opening, closing, rows, more: false }
  },
  voidGrant: () => movement,
} satisfies AdminAnswers

export const emptyAdminAnswers = {
  ...fullAdminAnswers,
  listAccounts: () => [],
  showAccount: () => ({ ...account, keys: [], grants: [], open_requests: 0 }),
  listHolds: () => ({ holds: [], next_cursor: null }),
  accountRequests: () => ({
    ...fullAnswers.requests(),
    data: [],
    has_more: false,
    next_cursor: null,
  }),
  statement: () => ({ ...fullAdminAnswers.statement(), rows: [] }),
} satisfies AdminAnswers
