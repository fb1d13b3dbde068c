import type { DatabaseSync } from 'node:sqlite'
import { type Select, select, selectArrays, selectOne } from '../../projection/select.ts'
import type {
  AccountCalled,
  AccountRow,
  AccountsPage,
  GrantRow,
  GrantsPage,
  GrantsQuery,
  HoldRow,
  HoldsQuery,
  PriceRow,
  StandingsPage,
} from '../rows/account-rows.ts'
import type { Views } from '../views.ts'
import type { ErasureRow } from './erasures.ts'
import { NEVER_MS } from './schema.ts'
import {
  readAccount,
  readGrant,
  readHold,
  readPrice,
  type StoredAccount,
  type StoredGrant,
  type StoredHold,
  type StoredPrice,
} from './tables.ts'

/** Grants that a page looks at, about 10 ms: those with nothing left are passed over. */
const GRANTS_LOOKED_AT_MAX = 5_000

export interface AccountTotals {
  readonly accounts: number
  readonly openRequests: number
}

type StoredStanding = readonly [
  row: number,
  accountId: string,
  status: AccountRow['status'],
  settled: string,
  held: string,
  openRequests: number,
  lastActivityAt: number,
  debitedTotal: string,
]

type StoredCalled = readonly [
  accountId: string,
  name: string,
  externalId: string | null,
  status: AccountRow['status'],
]

export interface ErasuresPage {
  /** The last subject of the page before; empty for the first page. */
  readonly after: string
  readonly limit: number
}

export interface AccountsQueries {
  account(accountId: string): AccountRow | undefined
  accounts(page: AccountsPage): readonly AccountRow[]
  accountStandings: Views['accountStandings']
  accountsCalled: Views['accountsCalled']
  accountTotals(): AccountTotals
  grants(query: GrantsQuery): GrantsPage
  /** Tells whose account a grant is of, or what a correction gave. */
  grantOwner(grantId: string): string | undefined
  holds(query: HoldsQuery): readonly HoldRow[]
  /** Every version that was ever published, oldest first. */
  prices(): readonly PriceRow[]
  /** Lists whose texts were erased, by subject. */
  erasures(page: ErasuresPage): readonly Readonly<ErasureRow>[]
}

const STANDINGS = `
  SELECT rowid, account_id, status, settled, held, open_requests, last_activity_at, debited_total
  FROM accounts WHERE rowid > :after ORDER BY rowid LIMIT :limit`
const CALLED = `
  SELECT account_id, name, external_id, status
  FROM accounts WHERE (opened_at, account_id) > ${afterAccount('-1')}
  ORDER BY opened_at, account_id LIMIT :limit`
const TOTALS = `
  SELECT (SELECT count(*) FROM accounts) AS accounts,
    (SELECT count(*) FROM holds) AS openRequests`
const HOLDS = `
  SELECT * FROM holds
  WHERE (since, request_id) > (:after, :afterId) AND since < :before
    AND (:accountId IS NULL OR account_id = :accountId)
  ORDER BY since, request_id LIMIT :limit`

export function accountsQueries(database: DatabaseSync): AccountsQueries {
  const one = select<StoredAccount>(database, 'SELECT * FROM accounts WHERE account_id = ?')
  const oldest = select<StoredAccount>(
    database,
    `SELECT * FROM accounts WHERE (opened_at, account_id) > ${afterAccount('-1')}
     ORDER BY opened_at, account_id LIMIT :limit`,
  )
  const newest = select<StoredAccount>(
    database,
    `SELECT * FROM accounts WHERE (opened_at, account_id) < ${afterAccount(`${NEVER_MS}`)}
     ORDER BY opened_at DESC, account_id DESC LIMIT :limit`,
  )
  // A list of operators looks at all accounts.
  const standings = selectArrays<StoredStanding>(database, STANDINGS)
  const called = selectArrays<StoredCalled>(database, CALLED)
  const totals = selectOne<AccountTotals>(database, TOTALS)
  const grantsOf = select<StoredGrant>(database, grantsByEnd('account_id = :accountId AND'))
  const grantsOfAll = select<StoredGrant>(database, grantsByEnd(''))
  const holds = select<StoredHold>(database, HOLDS)
  const prices = select<StoredPrice>(database, 'SELECT * FROM prices ORDER BY revision')
  const erasures = select<ErasureRow>(
    database,
    'SELECT * FROM erasures WHERE subject > :after ORDER BY subject LIMIT :limit',
  )
  return {
    account(accountId) {
      const row = one.get(accountId)
      return row === undefined ? undefined : readAccount(row)
    },
    accounts({ after = '', limit, isNewestFirst = false }) {
      const rows = (isNewestFirst ? newest : oldest).all({ after, limit })
      return rows.map(readAccount)
    },
    accountStandings: (page) => standingsPage(standings, page),
    accountsCalled({ after = '', limit }) {
      const rows = called.all({ after, limit })
      return rows.map(([accountId, name, externalId, status]): AccountCalled => {
        return { accountId, name, externalId, status }
      })
    },
    accountTotals: () => totals.get(),
    grants({ accountId, ...query }) {
      return accountId === undefined
        ? grantsPage(grantsOfAll, {}, query)
        : grantsPage(grantsOf, { accountId }, query)
    },
    grantOwner: ownersOfGrants(database),
    holds({ accountId, before, after, limit }) {
      const rows = holds.all({
        accountId: accountId ?? null,
        before: before ?? NEVER_MS,
        after: after?.since ?? -1,
        afterId: after?.requestId ?? '',
        limit,
      })
      return rows.map(readHold)
    },
    prices: () => prices.all().map(readPrice),
    erasures: ({ after, limit }) => erasures.all({ after, limit }),
  }
}

function ownersOfGrants(database: DatabaseSync): AccountsQueries['grantOwner'] {
  const select = database.prepare('SELECT account_id AS owner FROM grants WHERE grant_id = ?')
  return (grantId) => (select.get(grantId) as { readonly owner: string } | undefined)?.owner
}

function standingsPage(
  standings: Select<StoredStanding>,
  { after = 0, limit }: Parameters<Views['accountStandings']>[0],
): StandingsPage {
  const rows = standings.all({ after, limit })
  return {
    rows: rows.map(([, accountId, status, settled, held, openRequests, ...rest]) => {
      const [lastActivityAt, debitedTotal] = rest
      return {
        accountId,
        status,
        openRequests,
        lastActivityAt,
        settled: BigInt(settled),
        held: BigInt(held),
        debitedTotal: BigInt(debitedTotal),
      }
    }),
    next: rows.length < limit ? undefined : rows.at(-1)?.[0],
  }
}

/** SQL of where a page goes on. @param start of the first page, which has no account before it */
function afterAccount(start: string): string {
  return `(coalesce((SELECT opened_at FROM accounts WHERE account_id = :after), ${start}), :after)`
}

function grantsByEnd(condition: string): string {
  return `
    SELECT * FROM grants
    WHERE ${condition} (ends_at, grant_id) > (:after, :afterId) AND ends_at < :before
    ORDER BY ends_at, grant_id LIMIT ${GRANTS_LOOKED_AT_MAX}`
}

function grantsPage(
  grants: Select<StoredGrant>,
  whose: { accountId?: string },
  { isOpen, endsBefore, after, limit }: Omit<GrantsQuery, 'accountId'>,
): GrantsPage {
  const rows: GrantRow[] = []
  let looked = 0
  let last: GrantRow | undefined
  const found = grants.iterate({
    ...whose,
    before: endsBefore ?? NEVER_MS + 1,
    after: after === undefined ? -1 : (after.expiresAt ?? NEVER_MS),
    afterId: after?.grantId ?? '',
  })
  for (const stored of found) {
    if (rows.length === limit) return { rows, next: last }
    last = readGrant(stored)
    looked += 1
    if (!isOpen || last.remaining > 0n) rows.push(last)
  }
  return { rows, next: looked === GRANTS_LOOKED_AT_MAX ? last : undefined }
}
