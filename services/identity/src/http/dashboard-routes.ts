/**
 * The routes of the dashboard that are about people: every operation that is declared and handled
 * here, each for those whom its declaration lets in. Whoever mounts them reads JSON bodies, and
 * answers with the `ServiceError`s they throw.
 */
import {
  DASHBOARD_ANSWER_HEADERS,
  type DashboardDeclaration,
} from '@svc/contracts/dashboard/declaration'
import {
  memberOperations,
  sessionOperations,
  signInWayOperations,
} from '@svc/contracts/dashboard/operations'
import { ServiceError } from '@svc/contracts/errors'
import { parsedRequest } from '@svc/contracts/parsed-input'
import type { RateLimits } from '@svc/contracts/ports/rate-limits'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Declarations, Handlers } from '../operations/handler.ts'
import { linkOperations } from '../operations/link-operations.ts'
import { memberOperations as memberHandlers } from '../operations/member-operations.ts'
import { ownPasskeys } from '../operations/own-passkeys.ts'
import { ownSessions } from '../operations/own-sessions.ts'
import { passkeySignIn } from '../operations/passkey-sign-in.ts'
import type { IdentityPorts } from '../operations/ports.ts'
import { providerOperations } from '../operations/provider-operations.ts'
import { proxyOperations } from '../operations/proxy-operations.ts'
import { sessionOperations as sessionHandlers } from '../operations/session-operations.ts'
import { signUpOperation } from '../operations/sign-up.ts'
import type { OpenSession } from '../sessions/sessions.ts'
import { proxyEmailOf, refuseUntrusted } from '../sign-in/proxy-header.ts'
import { SignInLimits } from '../sign-in/sign-in-limits.ts'
import { ChangeLimit } from './change-limit.ts'
import { begunCookie, begunMark, sessionCookie } from './cookies.ts'
import { DashboardCallers } from './dashboard-callers.ts'
import { isSecure } from './own-requests.ts'

/** A body has names, addresses and passwords: nobody sends more here. */
const BODY_BYTES_MAX = 16 * 1024

export interface DashboardRoutes extends Omit<IdentityPorts, 'signInLimits'> {
  readonly rateLimits: RateLimits
  /** The operator's operations, for users who run the service, under `/admin`. */
  readonly admin: FastifyPluginAsync
}

const operations = { ...sessionOperations, ...signInWayOperations, ...memberOperations }
type Handled = keyof typeof operations
const declared: Declarations<Handled> = operations

function handlersOf(ports: IdentityPorts): Handlers<Handled> {
  return {
    ...sessionHandlers(ports),
    ...ownSessions(ports),
    ...linkOperations(ports),
    ...signUpOperation(ports),
    ...providerOperations(ports),
    ...passkeySignIn(ports),
    ...ownPasskeys(ports),
    ...proxyOperations(ports),
    ...memberHandlers(ports),
  }
}

export function dashboardRoutes(ports: DashboardRoutes): FastifyPluginAsync {
  const callers = new DashboardCallers(ports)
  const changeLimit = new ChangeLimit(ports.rateLimits)
  const signInLimits = new SignInLimits(ports.rateLimits)
  const handlers = handlersOf({ ...ports, signInLimits })

  return async (app: FastifyInstance) => {
    app.addHook('onRequest', async (_request, reply) => {
      for (const [name, value] of Object.entries(DASHBOARD_ANSWER_HEADERS)) {
        reply.raw.setHeader(name, value)
      }
    })
    for (const name of Object.keys(operations) as Handled[]) {
      app.route({
        method: declared[name].method,
        url: declared[name].path,
        bodyLimit: BODY_BYTES_MAX,
        exposeHeadRoute: false,
        handler: (request, reply) => answer(name, request, reply),
      })
    }
    await app.register(ports.admin, { prefix: '/admin' })
  }

  async function answer<Name extends Handled>(
    name: Name,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const declaration = declared[name]
    refuseUntrusted(ports.proxyHeader, request)
    const { account_id: accountId } = request.params as { account_id?: string }
    const open = await admitted(declaration.access, accountId, request)
    if (open !== undefined) await changeLimit.take(declaration, accountId ?? open.user.userId)
    const secure = isSecure(ports.address, request)
    return handlers[name](parsedRequest(declaration, request), {
      open,
      browser: { address: request.ip, userAgent: request.headers['user-agent'] ?? '' },
      rootUrl: ports.rootUrl(request),
      proxyEmail: proxyEmailOf(ports.proxyHeader, request),
      begun: begunMark(request.headers, secure),
      carry(token) {
        reply.header('set-cookie', sessionCookie(token, secure))
      },
      begin(mark) {
        reply.header('set-cookie', begunCookie(mark, secure))
      },
    })
  }

  /** @throws {ServiceError} for everybody whom the declaration does not let in */
  async function admitted(
    access: DashboardDeclaration['access'],
    accountId: string | undefined,
    request: FastifyRequest,
  ): Promise<OpenSession | undefined> {
    if (access === 'anybody') return callers.sessionOf(request)
    if (access === 'signed-in') return callers.requireSession(request)
    if (accountId === undefined) throw new ServiceError('not_allowed', 'This is of no account.')
    await callers.memberOf(request, accountId, access)
    return callers.requireSession(request)
  }
}
