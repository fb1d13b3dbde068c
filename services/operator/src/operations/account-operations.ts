/** Accounts and their credit. */
import type { AccountDetails } from '@svc/contracts/admin/accounts'
import type { Caller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { accountSummary, grantDetails, keyDetails } from './values/details.ts'
import { checkAccountId, noSuch, readAmount } from './values/input-values.ts'
import { readOptionalTime } from './values/rfc3339-times.ts'

export function accountOperations(
  ports: OperationPorts,
  { actor }: Caller,
): Pick<Operations, 'openAccount' | 'listAccounts' | 'showAccount' | 'grant'> {
  const { ledger, projections, pace } = ports
  return {
    async openAccount({ name, spend_policy: spendPolicy }) {
      return { account_id: await ledger.openAccount({ name, spendPolicy, actor }) }
    },
    async listAccounts({ after, limit }) {
      await viewsCurrent(ports, 'accounts')
      const page = after === undefined ? { limit } : { after, limit }
      return pace.step(() => projections.views.accounts(page).map(accountSummary))
    },
    showAccount: ({ account_id: accountId }) => accountDetails(ports, accountId),
    async grant({ account_id: accountId, amount, expires_at: expiresAt, reason, ...grant }) {
      checkAccountId(accountId)
      const grantId = await ledger.grant(accountId, {
        ...grant,
        reason,
        amount: readAmount(amount),
        expiresAt: readOptionalTime(expiresAt, 'expires_at'),
        actor,
      })
      return { grant_id: grantId }
    },
  }
}

/**
 * Balance, keys and grants come from the ledger itself; the view adds only when things happened.
 */
async function accountDetails(ports: OperationPorts, accountId: string): Promise<AccountDetails> {
  checkAccountId(accountId)
  const account = await ports.ledger.account(accountId)
  const { keys, grants, balance, openRequests, spendPolicy, priceList } = account
  await viewsCurrent(ports, 'accounts')
  const row = ports.projections.views.account(accountId)
  if (row === undefined) throw noSuch('account', accountId)
  const nowMs = ports.clock.nowMs()
  return {
    ...accountSummary({ ...row, ...balance, openRequests, spendPolicy }),
    price_list: priceList,
    keys: keys.map((key) => keyDetails(key, nowMs)),
    grants: grants.map(grantDetails),
  }
}
