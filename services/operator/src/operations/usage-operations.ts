/** What accounts used. */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { requestsPage } from '@svc/projections/requests-answer'
import { usagePage } from '@svc/projections/usage-answer'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { checkAccountId, noSuch } from './values/input-values.ts'

export function usageOperations(
  ports: OperationPorts,
): Pick<OperationHandlers, 'accountUsage' | 'accountRequests'> {
  const { pace, clock } = ports
  const { views } = ports.projections
  return {
    async accountUsage({ account_id: accountId, ...asked }) {
      checkAccountId(accountId)
      await Promise.all([viewsCurrent(ports, 'usage'), viewsCurrent(ports, 'accounts')])
      if (views.account(accountId) === undefined) throw noSuch('account', accountId)
      return pace.step(() => usagePage(views, accountId, asked, clock.nowMs()))
    },
    async accountRequests({ account_id: accountId, ...asked }) {
      checkAccountId(accountId)
      const names = ['usage', 'requests', 'accounts']
      await Promise.all(names.map((name) => viewsCurrent(ports, name)))
      if (views.account(accountId) === undefined) throw noSuch('account', accountId)
      return requestsPage(views, accountId, asked)
    },
  }
}
