/** Accepts HTTP/2 connections on the loopback and hands each gRPC call to its handler. */
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { GrpcCall, status } from './grpc-call.ts'

/**
 * As on the real server, a 101st call on one connection waits, without an error. The wait is made
 * here and not by the setting of HTTP/2: Node.js resets a call that comes in the moment another
 * ends.
 */
const CALLS_PER_CONNECTION_MAX = 100

const LOOPBACK = '127.0.0.1'

export interface ServerIdentity {
  /** PEM. */
  readonly certificate: string
  /** PEM. */
  readonly key: string
}

export type CallHandler = (call: GrpcCall) => void

export class GrpcServer {
  readonly port: number
  readonly #server: Http2Server | Http2SecureServer
  readonly #sessions: Set<ServerHttp2Session>
  readonly #calls: Set<GrpcCall>

  private constructor(
    server: Http2Server | Http2SecureServer,
    sessions: Set<ServerHttp2Session>,
    calls: Set<GrpcCall>,
  ) {
    this.#server = server
    this.#sessions = sessions
    this.#calls = calls
    this.port = (server.address() as AddressInfo).port
  }

  /** Listens on a free port. @param handlerOf finds what answers a path; undefined is unknown */
  static async listen(
    handlerOf: (path: string) => CallHandler | undefined,
    identity?: ServerIdentity,
  ): Promise<GrpcServer> {
    const server =
      identity === undefined
        ? createServer()
        : createSecureServer({ cert: identity.certificate, key: identity.key })
    const sessions = new Set<ServerHttp2Session>()
    const calls = new Set<GrpcCall>()
    server.on('session', (session) => {
      const turns = new CallTurns()
      sessions.add(session)
      session.on('close', () => sessions.delete(session))
      session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
        const call = new GrpcCall(stream, headers)
        calls.add(call)
        call.onClose(() => calls.delete(call))
        turns.take(call, handlerOf(call.path) ?? refuseUnknown)
      })
    })
    // Broken connections and clients that distrust the certificate are cases that tests make.
    server.on('sessionError', () => {})
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject)
    server.listen(0, LOOPBACK, resolve)
    await promise
    return new GrpcServer(server, sessions, calls)
  }

  /** The paths of the calls that are open now. */
  get openCalls(): readonly string[] {
    return [...this.#calls].map(({ path }) => path)
  }

  /** Ends every call without a status, as the real server does on SIGTERM. */
  abandonCalls(): void {
    for (const call of this.#calls) call.abandon()
  }

  /** Takes no new connection and destroys all there are. */
  close(): void {
    this.#server.close()
    for (const session of this.#sessions) session.destroy()
  }
}

/** Lets the calls of one connection begin, a bounded number at once. */
class CallTurns {
  readonly #waiting = new Map<GrpcCall, CallHandler>()
  #running = 0

  take(call: GrpcCall, handle: CallHandler): void {
    this.#waiting.set(call, handle)
    call.onClose(() => this.#waiting.delete(call))
    this.#beginNext()
  }

  #beginNext(): void {
    const [next] = this.#waiting
    if (next === undefined || this.#running >= CALLS_PER_CONNECTION_MAX) return
    const [call, handle] = next
    this.#waiting.delete(call)
    this.#running += 1
    call.onClose(() => {
      this.#running -= 1
      this.#beginNext()
    })
    handle(call)
  }
}

function refuseUnknown(call: GrpcCall): void {
  call.finish({ code: status.unimplemented })
}
