/** The real pages on a server whose API gives the answers of a test. */
import type { IncomingHttpHeaders } from 'node:http'
import {
  adminOperations,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from '@svc/contracts/admin/operations'
import {
  CHAT_PATH,
  DASHBOARD_ADMIN_PREFIX,
  DASHBOARD_PREFIX,
} from '@svc/contracts/dashboard/declaration'
import {
  type DashboardInput,
  type DashboardOperationName,
  type DashboardOutput,
  dashboardOperations,
} from '@svc/contracts/dashboard/operations'
import Fastify, { type FastifyReply } from 'fastify'
import { pino } from 'pino'
import { openPages } from '../server/pages.ts'

/** What each operation answers; one that is missing is a fault of the test. */
export type Answers = {
  readonly [Name in DashboardOperationName]?: (
    input: DashboardInput<Name>,
  ) => DashboardOutput<Name> | Refused
}

/** What each operation of the operator's answers: whole, or as the lines of it. */
export type AdminAnswers = {
  readonly [Name in OperationName]?: (
    input: OperationInput<Name>,
  ) => OperationOutput<Name> | readonly OperationOutput<Name>[] | Refused
}

/** An answer that is an error. */
export class Refused {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    param: string | null = null,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.headers = headers
    this.status = status
    this.code = code
    this.message = message
    this.param = param
  }
}

export interface PageServer {
  url: string
  /** Taken for each request anew: a test may change them. */
  answers: Answers
  adminAnswers: AdminAnswers
  /** What the chat answers: the text of an event stream, or a refusal. */
  chat: () => string | Refused
  /** Looks at each request of the API before it is answered. */
  checkHeaders: (headers: IncomingHttpHeaders) => Refused | undefined
  close(): Promise<void>
}

/** @param port default: any that is free */
export async function startPageServer(
  answers: Answers,
  adminAnswers: AdminAnswers = {},
  port = 0,
): Promise<PageServer> {
  // Connections that browsers keep would hold up the end of a test.
  const app = Fastify({ forceCloseConnections: true })
  const pages = openPages({ logger: pino({ level: 'silent' }) })
  const server: PageServer = {
    url: '',
    chat: () => new Refused(404, 'not_found', 'No answer to a chat.'),
    answers,
    adminAnswers,
    checkHeaders: () => undefined,
    close: async () => {
      await pages.close()
      await app.close()
    },
  }
  app.addHook('onRequest', async ({ url, headers }, reply) => {
    if (!url.startsWith(DASHBOARD_PREFIX)) return
    const refused = server.checkHeaders(headers)
    if (refused !== undefined) return refuse(reply, refused)
  })
  for (const [name, { method, path }] of Object.entries(dashboardOperations)) {
    app.route({
      method,
      url: `${DASHBOARD_PREFIX}${path}`,
      handler: ({ params, query, body }, reply) => {
        const answer = server.answers[name as DashboardOperationName] as
          | ((input: unknown) => unknown)
          | undefined
        const given = { ...(params as object), ...(query as object), ...((body ?? {}) as object) }
        const answered = answer?.(given) ?? new Refused(404, 'not_found', `No answer to ${name}.`)
        return answered instanceof Refused ? refuse(reply, answered) : reply.send(answered)
      },
    })
  }
  for (const [name, { method, path, answer: kind }] of Object.entries(adminOperations)) {
    app.route({
      method,
      url: `${DASHBOARD_ADMIN_PREFIX}${path}`,
      handler: ({ params, query, body, headers }, reply) => {
        const answer = server.adminAnswers[name as OperationName] as
          | ((input: unknown) => unknown)
          | undefined
        const key = headers['idempotency-key']
        const given = { ...(query as object), ...((body ?? {}) as object), ...(params as object) }
        const asked = key === undefined ? given : { ...given, idempotency_key: key }
        const answered = answer?.(asked) ?? new Refused(404, 'not_found', `No answer to ${name}.`)
        if (answered instanceof Refused) return refuse(reply, answered)
        if (kind === 'json') return reply.send(answered)
        const lines = (answered as readonly unknown[]).map((line) => `${JSON.stringify(line)}\n`)
        return reply.type('application/x-ndjson').send(lines.join('\n'))
      },
    })
  }
  app.post(`${DASHBOARD_PREFIX}${CHAT_PATH}`, (_request, reply) => {
    const answered = server.chat()
    if (answered instanceof Refused) return refuse(reply, answered)
    return reply
      .headers({ 'content-type': 'text/event-stream', 'x-request-id': 'req_1' })
      .send(answered)
  })
  app.get('/v1/prices', () => server.answers.prices?.({ account_id: '' }))
  app.register(pages.routes, { prefix: '/dashboard' })
  server.url = await app.listen({ host: '127.0.0.1', port })
  return server
}

function refuse(reply: FastifyReply, refused: Refused): FastifyReply {
  const { status, code, message, param, headers } = refused
  return reply
    .code(status)
    .headers(headers)
    .send({ error: { code, message, type: code, param } })
}
