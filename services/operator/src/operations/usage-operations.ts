/** The operations that tell what accounts used. */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { requestsExport } from '@svc/projections/account-exports'
import { requestTotals } from '@svc/projections/request-totals-answer'
import { requestsPage } from '@svc/projections/requests-answer'
import { usagePage } from '@svc/projections/usage-answer'
import type { Views } from '@svc/projections/views'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { checkAccountId, noSuchAccount } from './values/input-values.ts'

export function usageOperations(
  ports: OperationPorts,
): Pick<
  OperationHandlers,
  'accountUsage' | 'accountRequests' | 'accountRequestTotals' | 'exportRequests'
> {
  const { pace, clock, texts } = ports
  const { views } = ports.projections
  const catchUp = () => viewsCurrent(ports, 'requests')
  /** @returns the position that the views of requests have reached */
  const requestsPosition = async (accountId: string) => {
    checkAccountId(accountId)
    const [position] = await Promise.all([
      viewsCurrent(ports, 'usage'),
      viewsCurrent(ports, 'requests'),
      viewsCurrent(ports, 'accounts'),
    ])
    checkAccount(views, accountId)
    return `${position}`
  }
  return {
    async accountUsage({ account_id: accountId, ...asked }) {
      checkAccountId(accountId)
      // Read before the views: a period that ends meanwhile is not called over.
      const nowMs = clock.nowMs()
      const [position] = await Promise.all([
        viewsCurrent(ports, 'usage'),
        viewsCurrent(ports, 'accounts'),
      ])
      checkAccount(views, accountId)
      return pace.step(() => ({
        ...usagePage(views, accountId, asked, nowMs),
        position: `${position}`,
      }))
    },
    async accountRequests({ account_id: accountId, ...asked }) {
      const position = await requestsPosition(accountId)
      return { ...(await requestsPage(views, accountId, asked, catchUp)), position }
    },
    async accountRequestTotals({ account_id: accountId, ...asked }) {
      const nowMs = clock.nowMs()
      const position = await requestsPosition(accountId)
      return pace.step(() => ({ ...requestTotals(views, accountId, asked, nowMs), position }))
    },
    async *exportRequests({ account_id: accountId, ...asked }) {
      const position = await requestsPosition(accountId)
      const account = { accountId, position }
      for await (const text of requestsExport({ views, texts, pace }, account, asked, catchUp)) {
        yield { text }
      }
    },
  }
}

/** A mistyped name would be answered with nothing at all, as if it had used nothing. */
function checkAccount(views: Pick<Views, 'account'>, accountId: string): void {
  if (views.account(accountId) === undefined) throw noSuchAccount(accountId)
}
