/** Accounts and their credit. */
import type { AccountDetails, ListedAccount } from '@svc/contracts/admin/accounts'
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { cursorPlace, cursorText } from '@svc/contracts/cursor'
import { accountIdOfExternal } from '@svc/contracts/ids'
import { formatExact } from '@svc/contracts/money'
import { inSteps } from '@svc/contracts/ports/pace'
import { lastThirtyDays } from '@svc/projections/spent-lately'
import type { GrantPlace, HoldsQuery } from '@svc/projections/views'
import { usesOfKeys } from './key-operations.ts'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { accountSearch } from './texts/account-search.ts'
import { accountDetailsOf, accountSummary, listedGrant, listedHold } from './values/details.ts'
import { checkAccountId, noSuch, readAmount } from './values/input-values.ts'
import { readOptionalTime, readTime } from './values/rfc3339-times.ts'

/** Whose spending is added up in one step: some milliseconds. */
const ACCOUNTS_PER_STEP = 50

export function accountOperations(
  ports: OperationPorts,
  { actor }: Caller,
): Pick<
  OperationHandlers,
  | 'openAccount'
  | 'listAccounts'
  | 'searchAccounts'
  | 'showAccount'
  | 'grant'
  | 'listGrants'
  | 'listHolds'
> {
  const { ledger, projections, pace, clock } = ports
  return {
    async openAccount({ name, spend_policy: spendPolicy, metadata, ...input }) {
      const { external_id: externalId, idempotency_key: idempotencyKey } = input
      const terms = { name, spendPolicy, externalId, metadata, idempotencyKey, actor }
      const { accountId, created } = await ledger.administration.openAccount(terms)
      return { account_id: accountId, created }
    },
    async listAccounts({ after, limit, external_id: externalId }) {
      await Promise.all([viewsCurrent(ports, 'accounts'), viewsCurrent(ports, 'usage')])
      const { views } = projections
      const page = after === undefined ? { limit } : { after, limit }
      const rows =
        externalId === undefined
          ? await pace.step(() => views.accounts(page))
          : [views.account(accountIdOfExternal(externalId))].filter((row) => row !== undefined)
      const edges = lastThirtyDays(clock.nowMs())
      const listed: ListedAccount[] = []
      await inSteps(pace, rows, ACCOUNTS_PER_STEP, (row) => {
        const { total } = views.usage({ accountId: row.accountId, edges, groupBy: [] })
        listed.push({ ...accountSummary(row), spent_30_days: formatExact(total.amount) })
      })
      return listed
    },
    async searchAccounts(input) {
      await viewsCurrent(ports, 'accounts')
      return accountSearch(ports)(input)
    },
    showAccount: ({ account_id: accountId }) => accountDetails(ports, accountId),
    async grant({ account_id: accountId, amount, expires_at: expiresAt, ...input }) {
      checkAccountId(accountId)
      const { idempotency_key: idempotencyKey, ...grant } = input
      const { grantId, created } = await ledger.administration.grant(accountId, {
        ...grant,
        idempotencyKey,
        amount: readAmount(amount),
        expiresAt: readOptionalTime(expiresAt, 'expires_at'),
        actor,
      })
      return { grant_id: grantId, created }
    },
    ...creditLists(ports),
  }
}

function creditLists(ports: OperationPorts): Pick<OperationHandlers, 'listGrants' | 'listHolds'> {
  const { projections, pace, clock } = ports
  return {
    async listGrants({ cursor, limit, which, ...asked }) {
      const { account_id: accountId, expires_before: before } = asked
      const list = ['grants', which, asked]
      const query = {
        ...ofAccount(accountId),
        ...(before === undefined ? {} : { endsBefore: readTime(before, 'expires_before') }),
        ...(cursor === undefined ? {} : { after: grantPlace(cursorPlace(list, cursor)) }),
      }
      await viewsCurrent(ports, 'accounts')
      const isOpen = which === 'open'
      const page = await pace.step(() => projections.views.grants({ ...query, isOpen, limit }))
      const { rows, next } = page
      return {
        grants: rows.map((grant) => listedGrant(grant, clock.nowMs())),
        next_cursor:
          next === undefined ? null : cursorText(list, `${next.expiresAt ?? ''}/${next.grantId}`),
      }
    },
    async listHolds({ cursor, limit, ...asked }) {
      const { account_id: accountId, held_before: before } = asked
      const list = ['holds', asked]
      const query = {
        ...ofAccount(accountId),
        ...(before === undefined ? {} : { before: readTime(before, 'held_before') }),
        ...(cursor === undefined ? {} : { after: holdPlace(cursorPlace(list, cursor)) }),
      }
      await viewsCurrent(ports, 'accounts')
      // One more than asked for: only then it is known that more follow.
      const rows = await pace.step(() => projections.views.holds({ ...query, limit: limit + 1 }))
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        holds: shown.map(listedHold),
        next_cursor:
          last === undefined ? null : cursorText(list, `${last.since}/${last.requestId}`),
      }
    },
  }
}

function ofAccount(accountId: string | undefined): { readonly accountId?: string } {
  if (accountId === undefined) return {}
  checkAccountId(accountId)
  return { accountId }
}

/** A place that a cursor names: a time, which may be none, and an id. */
function placeOf(text: string): readonly [timeMs: number | null, id: string] {
  const [time = '', id = ''] = text.split('/')
  return [time === '' ? null : Number(time), id]
}

function grantPlace(text: string): GrantPlace {
  const [expiresAt, grantId] = placeOf(text)
  return { expiresAt, grantId }
}

function holdPlace(text: string): NonNullable<HoldsQuery['after']> {
  const [since, requestId] = placeOf(text)
  return { since: since ?? 0, requestId }
}

async function accountDetails(ports: OperationPorts, accountId: string): Promise<AccountDetails> {
  checkAccountId(accountId)
  const account = await ports.ledger.account(accountId)
  await viewsCurrent(ports, 'accounts')
  const row = ports.projections.views.account(accountId)
  if (row === undefined) throw noSuch('account', accountId)
  const useOf = await usesOfKeys(ports, accountId)
  return accountDetailsOf(row, account, useOf, ports.clock.nowMs())
}
