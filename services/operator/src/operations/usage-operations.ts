/** The operations that tell what accounts used. */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { requestsPage } from '@svc/projections/requests-answer'
import { usagePage } from '@svc/projections/usage-answer'
import type { Views } from '@svc/projections/views'
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
      checkNamed(views, accountId, asked.key_id)
      return pace.step(() => usagePage(views, accountId, asked, clock.nowMs()))
    },
    async accountRequests({ account_id: accountId, ...asked }) {
      checkAccountId(accountId)
      const names = ['usage', 'requests', 'accounts']
      await Promise.all(names.map((name) => viewsCurrent(ports, name)))
      checkNamed(views, accountId, asked.key_id)
      return requestsPage(views, accountId, asked, () => viewsCurrent(ports, 'requests'))
    },
  }
}

/** A mistyped name would be answered with nothing at all, as if it had used nothing. */
function checkNamed(
  views: Pick<Views, 'account' | 'key'>,
  accountId: string,
  keyId: string | undefined,
): void {
  if (views.account(accountId) === undefined) throw noSuch('account', accountId)
  if (keyId === undefined || views.key(keyId)?.accountId === accountId) return
  throw new ServiceError('not_found', `The account has no key ${keyId}.`)
}
