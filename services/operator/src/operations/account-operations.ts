/** Accounts and their credit. */
import type { AccountDetails } from '@svc/contracts/admin/accounts'
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { accountSummary, grantDetails, keyDetails } from './values/details.ts'
import { checkAccountId, noSuch, readAmount } from './values/input-values.ts'
import { readOptionalTime } from './values/rfc3339-times.ts'

export function accountOperations(
  ports: OperationPorts,
  { actor }: Caller,
): Pick<OperationHandlers, 'openAccount' | 'listAccounts' | 'showAccount' | 'grant'> {
  const { ledger, projections, pace } = ports
  return {
    async openAccount({ name, spend_policy: spendPolicy, metadata, ...input }) {
      const { external_id: externalId, idempotency_key: idempotencyKey } = input
      const terms = { name, spendPolicy, externalId, metadata, idempotencyKey, actor }
      const { accountId, created } = await ledger.administration.openAccount(terms)
      return { account_id: accountId, created }
    },
    async listAccounts({ after, limit, external_id: externalId }) {
      await viewsCurrent(ports, 'accounts')
      if (externalId !== undefined) {
        const found = projections.views.accountOfExternalId(externalId)
        return found === undefined ? [] : [accountSummary(found)]
      }
      const page = after === undefined ? { limit } : { after, limit }
      return pace.step(() => projections.views.accounts(page).map(accountSummary))
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
  }
}

/**
 * Balance, keys and grants come from the ledger itself; the view adds only when things happened.
 */
async function accountDetails(ports: OperationPorts, accountId: string): Promise<AccountDetails> {
  checkAccountId(accountId)
  const account = await ports.ledger.account(accountId)
  const { keys, grants, balance, openRequests, spendPolicy, priceList, name, status } = account
  await viewsCurrent(ports, 'accounts')
  const row = ports.projections.views.account(accountId)
  if (row === undefined) throw noSuch('account', accountId)
  const nowMs = ports.clock.nowMs()
  return {
    ...accountSummary({ ...row, ...balance, openRequests, spendPolicy, name, status }),
    price_list: priceList,
    keys: keys.map((key) => keyDetails(key, nowMs)),
    grants: grants.map(grantDetails),
  }
}
