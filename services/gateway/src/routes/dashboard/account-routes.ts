/**
 * What a customer sees of an account in the dashboard: the routes of the public API, registered
 * once more behind a session, and those that only pages need.
 */
import {
  CHAT_PATH,
  DASHBOARD_ANSWER_HEADERS,
  DASHBOARD_PREFIX,
} from '@svc/contracts/dashboard/declaration'
import { userActor } from '@svc/contracts/events/actors'
import type { AccountSessions } from '@svc/contracts/ports/account-sessions'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { FastifyInstance } from 'fastify'
import type { AdmissionHooks } from '../../admission/admission.ts'
import type { CallerRates } from '../../admission/caller-rates.ts'
import { MemberWatch } from '../../admission/member-watch.ts'
import type { Reads } from '../../admission/reads.ts'
import { sessionCallers } from '../../admission/session-callers.ts'
import { chatFormat } from '../../formats/chat/format.ts'
import { mounted } from '../../http/mounted.ts'
import { exportRoutes } from '../account/exports.ts'
import { requestRoutes } from '../account/requests.ts'
import { statementRoutes } from '../account/statement.ts'
import { usageRoutes } from '../account/usage.ts'
import { type BillingPorts, balanceRoute, receiptRoute } from '../billing.ts'
import { type InferencePorts, inferenceRoutes } from '../inference.ts'
import { type PricePorts, priceRoutes } from '../prices.ts'
import { type AccountEventPorts, accountEventRoute } from './account-event.ts'
import { type HomePorts, homeRoute } from './account-home.ts'
import { type AccountKeyPorts, accountKeyRoutes } from './account-keys.ts'
import { withAsOf } from './as-of.ts'
import { ChatKeys } from './chat-key.ts'

const PREFIX = `${DASHBOARD_PREFIX}/accounts/:account_id`

export type DashboardAccountPorts = Omit<AccountKeyPorts, 'reads' | 'owners'> &
  HomePorts &
  PricePorts &
  InferencePorts &
  Parameters<typeof requestRoutes>[0] &
  Parameters<typeof statementRoutes>[0] &
  Parameters<typeof exportRoutes>[0] &
  BillingPorts &
  Pick<AccountEventPorts, 'views'> & {
    readonly reads: Pick<Reads, 'hooksFor'>
    readonly sessions: AccountSessions
    readonly texts: Pick<TextStore, 'find'>
    readonly rates: CallerRates
  }

export function dashboardAccountRoutes(ports: DashboardAccountPorts, admission: AdmissionHooks) {
  const members = { hooks: ports.reads.hooksFor(sessionCallers(ports, 'member')) }
  const owners = { hooks: ports.reads.hooksFor(sessionCallers(ports, 'owner')) }
  const reading = { ...ports, reads: members }
  const chatKeys = new ChatKeys(ports.ledger)
  const memberWatch = new MemberWatch(ports)
  const callers = sessionCallers(ports, 'member', ({ accountId, userId }) =>
    chatKeys.of(accountId, userActor(userId)),
  )
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (_request, reply) => {
      for (const [name, value] of Object.entries(DASHBOARD_ANSWER_HEADERS)) {
        reply.raw.setHeader(name, value)
      }
    })
    app.addHook('preSerialization', (_request, _reply, answer) =>
      withTextsShown(ports.texts, answer),
    )
    const chat = [{ url: `${DASHBOARD_PREFIX}${CHAT_PATH}`, format: chatFormat }]
    app.addHook('preHandler', memberWatch.watch)
    await app.register(inferenceRoutes({ ...ports, callers }, admission, chat))
    const prices = { ...reading, reads: { ...members, openHooks: members.hooks } }
    const routes = [
      homeRoute(reading),
      withAsOf(ports, balanceRoute(reading)),
      receiptRoute(reading),
      accountEventRoute(reading),
      withAsOf(ports, usageRoutes(reading)),
      withAsOf(ports, requestRoutes(reading)),
      withAsOf(ports, statementRoutes(reading)),
      exportRoutes(reading),
      priceRoutes(prices),
      accountKeyRoutes({ ...reading, owners }),
    ]
    for (const each of routes) await app.register(mounted(each), { prefix: PREFIX })
  }
}
