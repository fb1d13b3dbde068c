/** Accounts and their credit. */
import type { AccountDetails } from '@svc/contracts/admin/accounts'
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { cursorRow, cursorTextOfRow } from '@svc/contracts/cursor'
import type { GrantPlace, HoldsQuery } from '@svc/projections/views'
import { AccountLists } from './account-lists/account-lists.ts'
import { grantOperation, previewGrantOperation } from './credit/grant-operation.ts'
import { usesOfKeys } from './key-operations.ts'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { accountSearch } from './texts/account-search.ts'
import { accountDetailsOf, listedGrant, listedHold } from './values/details.ts'
import { checkAccountId, noSuchAccount } from './values/input-values.ts'
import { readTime } from './values/rfc3339-times.ts'

export function accountOperations(
  ports: OperationPorts,
  { actor }: Caller,
): Pick<
  OperationHandlers,
  | 'openAccount'
  | 'listAccounts'
  | 'searchAccounts'
  | 'sumAccounts'
  | 'showAccount'
  | 'grant'
  | 'previewGrant'
  | 'listGrants'
  | 'listHolds'
> {
  const { ledger } = ports
  return {
    async openAccount({ name, spend_policy: spendPolicy, metadata, ...input }) {
      const { external_id: externalId, idempotency_key: idempotencyKey } = input
      const terms = { name, spendPolicy, externalId, metadata, idempotencyKey, actor }
      const { accountId, created } = await ledger.administration.openAccount(terms)
      return { account_id: accountId, created }
    },
    showAccount: ({ account_id: accountId }) => accountDetails(ports, accountId),
    grant: grantOperation(ledger, { actor }),
    previewGrant: previewGrantOperation(ledger, { actor }),
    ...accountLists(ports),
    ...creditLists(ports),
  }
}

function accountLists(
  ports: OperationPorts,
): Pick<OperationHandlers, 'listAccounts' | 'searchAccounts' | 'sumAccounts'> {
  const lists = new AccountLists(ports)
  const current = () => Promise.all([viewsCurrent(ports, 'accounts'), viewsCurrent(ports, 'usage')])
  return {
    async listAccounts({ after, limit, external_id: externalId, order, status }) {
      await current()
      if (externalId !== undefined) return lists.shown(lists.ofExternalId(externalId))
      const page = { limit, after }
      return lists.shown(await lists.page(order, status, page))
    },
    async searchAccounts(input) {
      await current()
      const { found, next_cursor } = await accountSearch(ports)(input)
      return { accounts: await lists.shown(found), next_cursor }
    },
    async sumAccounts({ status } = {}) {
      await current()
      return lists.sums(status)
    },
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
        endsBefore: before === undefined ? undefined : readTime(before, 'expires_before'),
        after: cursor === undefined ? undefined : grantPlace(list, cursor),
      }
      await viewsCurrent(ports, 'accounts')
      checkAccount(ports, accountId)
      const isOpen = which === 'open'
      const page = await pace.step(() => projections.views.grants({ ...query, isOpen, limit }))
      const { rows, next } = page
      return {
        grants: rows.map((grant) => listedGrant(grant, clock.nowMs())),
        next_cursor:
          next === undefined ? null : cursorTextOfRow(list, next.expiresAt, next.grantId),
      }
    },
    async listHolds({ cursor, limit, ...asked }) {
      const { account_id: accountId, held_before: before } = asked
      const list = ['holds', asked]
      const query = {
        ...ofAccount(accountId),
        before: before === undefined ? undefined : readTime(before, 'held_before'),
        after: cursor === undefined ? undefined : holdPlace(list, cursor),
      }
      await viewsCurrent(ports, 'accounts')
      checkAccount(ports, accountId)
      // This reads one more than asked for, because only that one tells that more follow.
      const rows = await pace.step(() => projections.views.holds({ ...query, limit: limit + 1 }))
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        holds: shown.map(listedHold),
        next_cursor: last === undefined ? null : cursorTextOfRow(list, last.since, last.requestId),
      }
    },
  }
}

function ofAccount(accountId: string | undefined): { readonly accountId?: string } {
  if (accountId === undefined) return {}
  checkAccountId(accountId)
  return { accountId }
}

/** An account that is not there has nothing, which would read as if it had no credit. */
function checkAccount({ projections }: OperationPorts, accountId: string | undefined): void {
  if (accountId === undefined || projections.views.account(accountId) !== undefined) return
  throw noSuchAccount(accountId)
}

function grantPlace(list: readonly unknown[], cursor: string): GrantPlace {
  const [expiresAt, grantId] = cursorRow(list, cursor)
  return { expiresAt, grantId }
}

function holdPlace(list: readonly unknown[], cursor: string): NonNullable<HoldsQuery['after']> {
  const [since, requestId] = cursorRow(list, cursor)
  return { since: since ?? 0, requestId }
}

async function accountDetails(ports: OperationPorts, accountId: string): Promise<AccountDetails> {
  checkAccountId(accountId)
  const account = await ports.ledger.account(accountId)
  await viewsCurrent(ports, 'accounts')
  const row = ports.projections.views.account(accountId)
  if (row === undefined) throw noSuchAccount(accountId)
  const useOf = await usesOfKeys(ports, accountId)
  return accountDetailsOf(row, account, useOf, ports.clock.nowMs())
}
