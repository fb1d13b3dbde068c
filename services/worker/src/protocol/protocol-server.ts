/**
 * The worker protocol over HTTP/1.1, on a unix socket or on loopback TCP. Bodies, headers and
 * times are bounded; an answer never shows a stack trace.
 */
import { once } from 'node:events'
import { chmod, rm, stat } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, createServer as createNetServer, type Server as NetServer } from 'node:net'
import { parsedExactly } from '@svc/contracts/exact-number'
import {
  auditRequest,
  cancelRequest,
  drainRequest,
  generateRequest,
  prepareRequest,
  type WorkerErrorCode,
  workerPaths,
} from '@svc/contracts/worker/protocol'
import { bearsSecret } from '@svc/infra/http/bearer'
import { createServer, STATUS_CODES } from '@svc/infra/http/node-http'
import type { Log } from '../process/log.ts'
import { BadBody, readJsonBody } from './json-body.ts'
import { NdjsonResponse } from './ndjson-response.ts'
import { type RefusalDetails, WorkerRefusal } from './refusal.ts'
import type { WorkerApi } from './worker-api.ts'

const REQUEST_MS_MAX = 30_000
const HEADERS_MS_MAX = 10_000
const KEEP_ALIVE_MS = 60_000
const CONNECTIONS_MAX = 2048
const RETRY_AFTER_SECONDS = '1'
const LOOPBACK = '127.0.0.1'

const statusOf: Readonly<Record<WorkerErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  prompt_too_long: 400,
  unsupported_schema: 400,
  fingerprint_mismatch: 409,
  already_running: 409,
  queue_full: 503,
  draining: 503,
  not_found: 404,
  failed: 500,
}

export type ListenAddress = { readonly socketPath: string } | TcpAddress

export interface TcpAddress {
  /** The loopback by default. */
  readonly host?: string | undefined
  readonly port: number
}

export interface ProtocolServer {
  /** The address where it listens. The port is the real one when 0 was asked for. */
  readonly address: ListenAddress
  /** Closes idle connections and resolves when the running ones have ended. */
  close(): Promise<void>
}

/**
 * @param secret demanded as bearer token of every request; null for none
 * @throws when the address is taken or not allowed
 */
export async function startProtocolServer(parts: {
  readonly worker: WorkerApi
  readonly listen: ListenAddress
  readonly secret: string | null
  readonly log: Log
}): Promise<ProtocolServer> {
  const server = createServer(
    { requestTimeout: REQUEST_MS_MAX, headersTimeout: HEADERS_MS_MAX },
    (request, response) => {
      void answer(request, response, parts).catch((error: unknown) => {
        refuse(response, parts.log, error)
      })
    },
  )
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.maxConnections = CONNECTIONS_MAX
  const address = await listen(server, parts.listen)
  return { address, close: () => closeServer(server) }
}

/**
 * Listens at an address for a moment, for whoever wants to know early that it can be had.
 *
 * @throws when the address is taken or not allowed
 */
export async function tryAddress(address: ListenAddress): Promise<void> {
  const server = createNetServer((socket) => socket.destroy())
  await listen(server, address)
  await once(server.close(), 'close')
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { worker, secret }: { readonly worker: WorkerApi; readonly secret: string | null },
): Promise<void> {
  const path = (request.url ?? '').split('?')[0]
  const probed = request.method === 'GET' ? probe(path, worker) : undefined
  if (probed !== undefined) return sendJson(response, probed.code, { status: probed.status })
  if (secret !== null && !bearsSecret(request.headers.authorization, secret)) {
    throw new WorkerRefusal('unauthorized', 'the shared secret is missing or wrong')
  }
  switch (`${request.method} ${path}`) {
    case `GET ${workerPaths.health}`:
      return sendJson(response, 200, worker.health())
    case `GET ${workerPaths.state}`:
      return sendJson(response, 200, worker.state())
    case `POST ${workerPaths.prepare}`: {
      const body = await readJsonBody(request, prepareRequest, parsedExactly)
      return sendJson(response, 200, await worker.prepare(body, whenCallerLeaves(response)))
    }
    case `POST ${workerPaths.cancel}`: {
      const { requestId } = await readJsonBody(request, cancelRequest)
      return sendJson(response, 200, worker.cancel(requestId))
    }
    case `POST ${workerPaths.drain}`: {
      const { draining } = await readJsonBody(request, drainRequest)
      return sendJson(response, 200, worker.drain(draining))
    }
    case `POST ${workerPaths.audit}`: {
      const { sample } = await readJsonBody(request, auditRequest)
      return sendJson(response, 200, await worker.audit(sample))
    }
    case `POST ${workerPaths.generate}`:
      return await answerGenerate(request, response, worker)
    default:
      throw new WorkerRefusal('not_found', 'no such method and path')
  }
}

/** What supervisors ask, who have no secret: it tells them nothing more. */
function probe(path: string | undefined, worker: WorkerApi) {
  if (path === '/livez') return { code: 200, status: 'alive' }
  if (path !== '/readyz') return undefined
  const { status } = worker.health()
  return { code: status === 'ready' ? 200 : 503, status }
}

async function answerGenerate(
  request: IncomingMessage,
  response: ServerResponse,
  worker: WorkerApi,
): Promise<void> {
  const body = await readJsonBody(request, generateRequest)
  const stream = new NdjsonResponse(response)
  const ended = worker.generate(body, (event, signal) => stream.emit(event, signal))
  response.on('close', () => {
    if (!response.writableFinished) worker.cancel(body.requestId)
  })
  if (response.destroyed) worker.cancel(body.requestId)
  stream.open()
  await ended
  stream.end()
}

/** The caller closed the connection and waits for no answer. */
class CallerLeft extends Error {
  override readonly name = 'CallerLeft'
}

function whenCallerLeaves(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  const leave = () => {
    if (!response.writableFinished) left.abort(new CallerLeft())
  }
  if (response.destroyed) leave()
  else response.once('close', leave)
  return left.signal
}

function refuse(response: ServerResponse, log: Log, error: unknown): void {
  if (error instanceof CallerLeft) return
  const { code, message, details = {} } = describe(error)
  if (code === 'failed') {
    log('error', 'worker request failed', { err: error })
  }
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const status = statusOf[code]
  if (status === 503) response.setHeader('retry-after', RETRY_AFTER_SECONDS)
  // The rest of a body that was refused unread would be taken for the next request.
  if (error instanceof BadBody || code === 'unauthorized') response.setHeader('connection', 'close')
  sendJson(response, status, { error: { code, message, ...details } })
}

function describe(error: unknown): {
  readonly code: WorkerErrorCode
  readonly message: string
  readonly details?: RefusalDetails
} {
  if (error instanceof WorkerRefusal) return error
  return { code: 'failed', message: 'the worker failed on this request' }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(`${JSON.stringify(value)}\n`)
  response.writeHead(status, STATUS_CODES[status] ?? '', {
    'content-type': 'application/json',
    'content-length': body.length,
  })
  response.end(body)
}

async function listen(server: NetServer, address: ListenAddress): Promise<ListenAddress> {
  if ('socketPath' in address) await removeStaleSocket(address.socketPath)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  if ('socketPath' in address) server.listen(address.socketPath, resolve)
  else server.listen(address.port, address.host ?? LOOPBACK, resolve)
  await promise
  if ('socketPath' in address) {
    if (process.platform !== 'win32') await chmod(address.socketPath, 0o600)
    return address
  }
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port
  return { ...address, port }
}

/** A killed worker leaves its socket file behind; nobody answers on it. */
async function removeStaleSocket(socketPath: string): Promise<void> {
  const facts = await stat(socketPath).catch(() => undefined)
  if (!facts?.isSocket()) return
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = connect(socketPath)
  probe.on('connect', () => resolve(false))
  probe.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  const stale = await promise
  probe.destroy()
  if (stale) await rm(socketPath, { force: true })
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  await closed
}
