/**
 * One gRPC call as the server sees it: messages come in, messages go out, a status ends it.
 *
 * It stands on `node:http2` and not on a gRPC library, because the double must do what a library
 * never does: end a stream without a status, put a hundred messages into one frame of data, and say
 * how many calls are still open.
 */
import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'

/** A message: a byte that says whether it is compressed, four of its length, and its bytes. */
const PREFIX_BYTES = 5
const COMPRESSION_BYTES = 1

/** The largest message that the real server takes in; a larger one ends the whole call. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024

/** The statuses of gRPC that the server answers with. */
export const status = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const

export interface CallEnd {
  readonly code: number
  readonly message?: string
  /** Metadata after the last message; the client reads the kind of an error from it. */
  readonly trailers?: Readonly<Record<string, string>>
}

/** A message with the prefix that it has on the wire. */
export function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length)
  frame.writeUInt8(0, 0)
  frame.writeUInt32BE(message.length, COMPRESSION_BYTES)
  message.copy(frame, PREFIX_BYTES)
  return frame
}

export class GrpcCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The port at the other end of the connection that carries this call. */
  readonly peerPort: number
  readonly #stream: ServerHttp2Stream
  /** How many messages were sent. */
  sent = 0
  #outgoing: Buffer[] = []
  #isFlushScheduled = false
  #isEnded = false
  #end: CallEnd = { code: status.ok }

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream
    this.headers = headers
    this.path = headers[':path'] ?? ''
    this.peerPort = stream.session?.socket.remotePort ?? 0
    // A connection that breaks is a case that tests make on purpose; `close` follows.
    stream.on('error', () => {})
    stream.on('wantTrailers', () => stream.sendTrailers(this.#trailers()))
  }

  /** No answer can go out any more: it was ended, cancelled, or its connection broke. */
  get isOver(): boolean {
    return this.#isEnded || this.#stream.closed || this.#stream.destroyed
  }

  /** The client does not take what was sent: wait for {@link drained} before sending more. */
  get isCongested(): boolean {
    return this.#stream.writableNeedDrain
  }

  /** Resolves once the client has taken in enough for more to be sent, or the call is over. */
  async drained(): Promise<void> {
    this.#flush()
    if (this.isOver || !this.isCongested) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#stream.once('drain', resolve).once('close', resolve)
    await promise
    this.#stream.off('drain', resolve).off('close', resolve)
  }

  onClose(listener: () => void): void {
    this.#stream.on('close', listener)
  }

  /** Takes the client's messages in, in order, and says when it has sent its last. */
  receive(onMessage: (message: Buffer) => void, onEnd: () => void = () => {}): void {
    let rest: Buffer = Buffer.alloc(0)
    this.#stream.on('data', (chunk: Buffer) => {
      if (this.#isEnded) return
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let from = 0
      while (rest.length - from >= PREFIX_BYTES) {
        const length = rest.readUInt32BE(from + COMPRESSION_BYTES)
        if (length > MESSAGE_BYTES_MAX) return this.#refuseSize(length)
        const to = from + PREFIX_BYTES + length
        if (rest.length < to) break
        this.#guard(() => onMessage(rest.subarray(from + PREFIX_BYTES, to)))
        from = to
      }
      rest = rest.subarray(from)
    })
    this.#stream.on('end', () => this.#guard(onEnd))
  }

  /** Sends a message, with all others of this turn of the event loop in one piece. */
  send(frame: Buffer): void {
    if (this.isOver) return
    this.sent += 1
    this.#outgoing.push(frame)
    if (this.#isFlushScheduled) return
    this.#isFlushScheduled = true
    process.nextTick(() => this.#flush())
  }

  /** Ends the call after what was sent. */
  finish(end: CallEnd = { code: status.ok }): void {
    if (this.isOver) return
    this.#flush()
    this.#isEnded = true
    this.#end = end
    if (this.#stream.headersSent) this.#stream.end()
    else this.#stream.respond({ ...responseHeaders(), ...this.#trailers() }, { endStream: true })
  }

  /** Answers with one message and ends the call. */
  answer(frame: Buffer): void {
    this.send(frame)
    this.finish()
  }

  /** Ends the call without any status, as a server does that is shutting down. */
  abandon(): void {
    this.#isEnded = true
    this.#stream.close(constants.NGHTTP2_NO_ERROR)
  }

  #flush(): void {
    this.#isFlushScheduled = false
    if (this.#outgoing.length === 0 || this.isOver) return
    if (!this.#stream.headersSent) {
      this.#stream.respond(responseHeaders(), { waitForTrailers: true })
    }
    const frames = this.#outgoing
    this.#outgoing = []
    this.#stream.write(frames.length === 1 ? frames[0] : Buffer.concat(frames))
  }

  #trailers(): OutgoingHttpHeaders {
    const { code, message, trailers } = this.#end
    const text = message === undefined ? {} : { 'grpc-message': encodeURI(message) }
    return { 'grpc-status': String(code), ...text, ...trailers }
  }

  /** What a handler throws ends its call and nothing else, as in the real server. */
  #guard(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.finish({ code: status.unknown, message: `Exception was thrown by handler. ${error}` })
    }
  }

  #refuseSize(length: number): void {
    this.finish({
      code: status.resourceExhausted,
      message: `Received message exceeds the maximum configured message size (${length}).`,
    })
  }
}

function responseHeaders(): OutgoingHttpHeaders {
  return { ':status': 200, 'content-type': 'application/grpc+proto' }
}
