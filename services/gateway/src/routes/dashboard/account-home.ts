/** The first page of an account: balance, holds, and what was used this month, by day. */
import { dashboardAccountOperations as declared } from '@svc/contracts/dashboard/operations'
import { parsedRequest } from '@svc/contracts/parsed-input'
import { usageQuery } from '@svc/contracts/wire/usage'
import { dateOf } from '@svc/contracts/zone'
import { expiringCredit } from '@svc/ledger/account-summary'
import { readZoneOf } from '@svc/projections/asked-period'
import { usagePage } from '@svc/projections/usage-answer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { viewHolds } from '../account/own-views.ts'
import type { UsagePorts } from '../account/usage.ts'
import { type BillingPorts, balanceAnswerOf } from '../billing.ts'
import { asOfNow } from './as-of.ts'
import { isChatKey } from './chat-key.ts'

const DAYS_OF_MONTH_MAX = 31
const { accountHome: declaration } = declared

export type HomePorts = UsagePorts & Pick<BillingPorts, 'ledger'>

export function homeRoute(ports: HomePorts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/', { onRequest: ports.reads.hooks, exposeHeadRoute: false }, (request) =>
      home(ports, request),
    )
  }
}

async function home(
  ports: HomePorts,
  request: FastifyRequest,
): Promise<z.output<typeof declaration.output>> {
  const { ledger, views, clock } = ports
  const { account_id: accountId, zone: zoneName } = parsedRequest(declaration, request)
  const zone = readZoneOf(zoneName)
  const account = await ledger.account(accountId)
  const { name, status, spendPolicy, keys, openRequests } = account
  const asOf = asOfNow(ports, accountId)
  await viewHolds(ports, 'usage', accountId)
  const now = clock.nowMs()
  const month = usageQuery.parse({
    from: `${dateOf(now, zone).slice(0, 'yyyy-mm'.length)}-01`,
    zone: zoneName,
    by: 'day',
    limit: DAYS_OF_MONTH_MAX,
  })
  return {
    account_id: accountId,
    name,
    status,
    spend_policy: spendPolicy,
    balance: balanceAnswerOf({ ...account.balance, expiring: expiringCredit(account.grants) }),
    open_requests: openRequests,
    keys: { active: keys.filter((key) => isActive(accountId, key, now)).length },
    month: usagePage(views, accountId, month, now) as z.output<typeof declaration.output>['month'],
    as_of: asOf,
  }
}

/**
 * Tells whether somebody can send the key and is let in: it is not that of the chat, nor revoked or
 * expired.
 */
function isActive(
  accountId: string,
  key: Parameters<typeof isChatKey>[1] & {
    readonly expiresAt: number | null
    readonly revokedAt: number | null
  },
  now: number,
): boolean {
  return (
    !isChatKey(accountId, key) &&
    key.revokedAt === null &&
    (key.expiresAt === null || now < key.expiresAt)
  )
}
