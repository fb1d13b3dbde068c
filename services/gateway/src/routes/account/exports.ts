/** Files of the account of a caller: the whole of a list, however long it is. */
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Caller } from '@svc/contracts/admin/caller'
import { userActor } from '@svc/contracts/events/actors'
import { parsedQuery } from '@svc/contracts/parsed-input'
import { START } from '@svc/contracts/ports/event-store'
import { STATEMENT_STYLE } from '@svc/contracts/statement-html'
import {
  exportMedia,
  requestsExportQuery,
  statementExportQuery,
  usageExportQuery,
} from '@svc/contracts/wire/exports'
import {
  type ExportSources,
  requestsExport,
  statementExport,
  usageExport,
} from '@svc/projections/account-exports'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../../admission/callers.ts'
import { type OwnViews, type ViewName, viewHolds } from './own-views.ts'
import type { UsagePorts } from './usage.ts'

export interface ExportPorts extends OwnViews, ExportSources, Pick<UsagePorts, 'reads' | 'clock'> {
  readonly views: ExportSources['views']
  /** Notes each file before it is sent. */
  readonly exportTrail: ExportTrail
}

type Subject = Readonly<Record<'from' | 'to', string | null | undefined>>

export interface ExportTrail {
  /**
   * Resolves when it is durable who took which file.
   *
   * @param subject whose records, and from when to when; null: from the beginning, or to the end
   * @throws {ServiceError} `rate_limit_exceeded`, `store_unavailable`
   */
  record(
    who: Pick<Caller, 'actor' | 'tokenId'>,
    operation: string,
    subject: Readonly<Record<string, string | null>>,
  ): Promise<void>
}

export function exportRoutes(ports: ExportPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: ports.reads.hooks, exposeHeadRoute: false }
    app.get('/exports/statement', options, async (request, reply) => {
      const fields = parsedQuery(statementExportQuery, request)
      const account = await exported(ports, callerOf(request).accountId, 'statement')
      const file = { name: `statement-${account.accountId}`, as: fields.as }
      const note = () => noteTaken(ports, request, 'exportStatement', fields)
      return send(
        reply,
        file,
        statementExport(ports, { ...account, reader: 'customer' }, fields),
        note,
      )
    })
    app.get('/exports/requests', options, async (request, reply) => {
      const fields = parsedQuery(requestsExportQuery, request)
      const account = await exported(ports, callerOf(request).accountId, 'usage', 'requests')
      const file = { name: `requests-${account.accountId}`, as: fields.as }
      const note = () => noteTaken(ports, request, 'exportRequests', fields)
      const catchUp = () => viewHolds(ports, 'requests', account.accountId)
      return send(reply, file, requestsExport(ports, account, fields, catchUp), note)
    })
    app.get('/exports/usage', options, async (request, reply) => {
      const fields = parsedQuery(usageExportQuery, request)
      const account = await exported(ports, callerOf(request).accountId, 'usage')
      const file = { name: `usage-${account.accountId}`, as: fields.as }
      const note = () => noteTaken(ports, request, 'exportUsage', fields)
      return send(reply, file, usageExport(ports, account, fields, ports.clock.nowMs()), note)
    })
  }
}

/** The account at a position that the views have reached. */
async function exported(ports: ExportPorts, accountId: string, ...names: readonly ViewName[]) {
  const position = `${ports.ledger.lastPosition(accountId) ?? START}`
  await Promise.all(names.map((name) => viewHolds(ports, name, accountId)))
  return { accountId, position }
}

async function noteTaken(
  { exportTrail }: ExportPorts,
  request: FastifyRequest,
  operation: string,
  { from = null, to = null }: Partial<Subject>,
): Promise<void> {
  const { accountId, keyId } = callerOf(request)
  const { member } = request
  const who =
    member === null
      ? { actor: keyId, tokenId: keyId }
      : { actor: userActor(member.userId), tokenId: member.userId }
  await exportTrail.record(who, operation, { account_id: accountId, from, to })
}

/** What cannot be answered is refused before the head of the answer is written, and not noted. */
async function send(
  reply: FastifyReply,
  { name, as }: { readonly name: string; readonly as: keyof typeof exportMedia },
  text: AsyncGenerator<string>,
  note: () => Promise<void>,
): Promise<FastifyReply> {
  const { value: first = '' } = await text.next()
  await note()
  reply.headers({
    'content-type': `${exportMedia[as]}; charset=utf-8`,
    'cache-control': 'no-store',
    ...(as === 'html' ? pageHeaders : { 'content-disposition': attachment(`${name}.${as}`) }),
  })
  return reply.send(Readable.from(following(first, text)))
}

/** A page with one style and nothing else. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STATEMENT_STYLE, 'base64')}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

function attachment(fileName: string): string {
  return `attachment; filename="${fileName}"`
}

async function* following(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}
