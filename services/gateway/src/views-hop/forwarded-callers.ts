/** Identifies callers for whom a gateway without views asks a server with views. */
import type { IncomingMessage } from 'node:http'
import { viewBehind } from '@svc/contracts/errors'
import type { Position } from '@svc/contracts/ports/event-store'
import { bearsSecret } from '@svc/infra/http/bearer'
import type { Caller } from '@svc/ledger/ledger'
import { awaitedPosition, forwardedCaller } from './hop-headers.ts'

/** Nothing is written, run or paid for on the word of another server. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** How long an answer waits for the views to hold what the caller has done elsewhere. */
const CATCH_UP_MS = 2_000

export interface ForwardedCallersPorts {
  /** A secret of the gateways and this server, and of nobody else. */
  readonly viewsSecret: string
  viewsReached(position: Position, timeoutMs: number): Promise<boolean>
}

export class ForwardedCallers {
  readonly #ports: ForwardedCallersPorts

  constructor(ports: ForwardedCallersPorts) {
    this.#ports = ports
  }

  isGateway({ headers }: IncomingMessage): boolean {
    return bearsSecret(headers.authorization, this.#ports.viewsSecret)
  }

  /**
   * The gateway has looked at the key and counted the request already.
   *
   * @returns null for somebody without a key; undefined when no gateway asks
   * @throws {ServiceError} `view_behind`
   */
  async callerOf(request: IncomingMessage): Promise<Caller | null | undefined> {
    if (!READING.has(request.method ?? '')) return undefined
    const caller = forwardedCaller(request.headers)
    if (caller === undefined || !this.isGateway(request)) return undefined
    const after = awaitedPosition(request.headers)
    if (after === undefined || (await this.#ports.viewsReached(after, CATCH_UP_MS))) return caller
    throw viewBehind()
  }
}
