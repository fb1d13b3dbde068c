/**
 * The routes of the dashboard that are about people: every operation that is declared and handled
 * here, each for those whom its declaration lets in. Whoever mounts them reads JSON bodies, and
 * answers with the `ServiceError`s they throw.
 */
import {
  DASHBOARD_ANSWER_HEADERS,
  type DashboardDeclaration,
} from '@svc/contracts/dashboard/declaration'
import { memberOperations, sessionOperations } from '@svc/contracts/dashboard/operations'
import { ServiceError } from '@svc/contracts/errors'
import { parsedInput } from '@svc/contracts/parsed-input'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Visitor } from '../operations/handler.ts'
import { linkOperations } from '../operations/link-operations.ts'
import { memberOperations as memberHandlers } from '../operations/member-operations.ts'
import { ownSessions } from '../operations/own-sessions.ts'
import type { IdentityPorts } from '../operations/ports.ts'
import { sessionOperations as sessionHandlers } from '../operations/session-operations.ts'
import { signUpOperation } from '../operations/sign-up.ts'
import type { OpenSession } from '../sessions/sessions.ts'
import { sessionCookie } from './cookies.ts'
import { DashboardCallers } from './dashboard-callers.ts'
import { isSecure } from './own-requests.ts'

/** Nobody sends more here: names, addresses and passwords. */
const BODY_BYTES_MAX = 16 * 1024

/** What the declarations promise of every handler, and the compiler has checked of each. */
type Handler = (input: unknown, visitor: Visitor) => Promise<unknown>

export interface DashboardRoutes extends IdentityPorts {
  /** The operator's operations, for users who run the service, under `/admin`. */
  readonly admin: FastifyPluginAsync
}

export function dashboardRoutes(ports: DashboardRoutes): FastifyPluginAsync {
  const callers = new DashboardCallers(ports)
  const declared: Readonly<Record<string, DashboardDeclaration>> = {
    ...sessionOperations,
    ...memberOperations,
  }
  const handlers = {
    ...sessionHandlers(ports),
    ...ownSessions(ports),
    ...linkOperations(ports),
    ...signUpOperation(ports),
    ...memberHandlers(ports),
  } satisfies Record<keyof typeof sessionOperations | keyof typeof memberOperations, unknown>

  return async (app: FastifyInstance) => {
    app.addHook('onRequest', async (_request, reply) => {
      for (const [name, value] of Object.entries(DASHBOARD_ANSWER_HEADERS)) {
        reply.raw.setHeader(name, value)
      }
    })
    for (const [name, declaration] of Object.entries(declared)) {
      const handler = handlers[name as keyof typeof handlers] as Handler
      app.route({
        method: declaration.method,
        url: declaration.path,
        bodyLimit: BODY_BYTES_MAX,
        exposeHeadRoute: false,
        handler: (request, reply) => answer(declaration, handler, request, reply),
      })
    }
    await app.register(ports.admin, { prefix: '/admin' })
  }

  async function answer(
    { access, input, method }: DashboardDeclaration,
    handler: Handler,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const open = await admitted(access, request)
    const rest = method === 'GET' ? request.query : (request.body ?? {})
    const given = parsedInput(input, { ...(rest as object), ...(request.params as object) })
    return handler(given, {
      open,
      browser: { address: request.ip, userAgent: request.headers['user-agent'] ?? '' },
      rootUrl: ports.rootUrl(request),
      carry(token) {
        reply.header('set-cookie', sessionCookie(token, isSecure(ports.address, request)))
      },
    })
  }

  /** @throws {ServiceError} for everybody whom the declaration does not let in */
  async function admitted(
    access: DashboardDeclaration['access'],
    request: FastifyRequest,
  ): Promise<OpenSession | undefined> {
    if (access === 'anybody') return callers.sessionOf(request)
    if (access === 'signed-in') return callers.requireSession(request)
    const { account_id: accountId } = request.params as { account_id?: string }
    if (accountId === undefined) throw new ServiceError('not_allowed', 'This is of no account.')
    await callers.memberOf(request, accountId, access)
    return callers.requireSession(request)
  }
}
