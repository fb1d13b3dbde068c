/**
 * Stands between a client and the server and passes everything on as it is, so that a check can
 * count the attempts that a client really makes and read the request id of each, whatever the
 * client shows of it. `GET /attempts` answers the `POST`s since it was asked last.
 */
import {
  createServer,
  type IncomingMessage,
  request as requestOf,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

const ATTEMPTS_MAX = 10_000

export interface Attempt {
  readonly path: string
  readonly status: number
  /** Of the answer's `x-request-id`. */
  readonly requestId: string | null
}

export class CountingProxy {
  readonly #target: URL
  readonly #server: Server
  #attempts: Attempt[] = []

  /** @param target base URL of the server, on loopback */
  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((request, response) => {
      if (request.url === '/attempts') this.#tell(response)
      else this.#passOn(request, response)
    })
  }

  /** @returns its base URL */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #tell(response: ServerResponse): void {
    const attempts = this.#attempts
    this.#attempts = []
    response.setHeader('content-type', 'application/json').end(JSON.stringify(attempts))
  }

  #passOn(request: IncomingMessage, response: ServerResponse): void {
    const { method, url: path = '/', headers } = request
    const { hostname, port, host } = this.#target
    const onward = requestOf({ hostname, port, method, path, headers: { ...headers, host } })
    onward.once('response', (answer) => {
      if (method === 'POST') this.#note(path, answer)
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      response.flushHeaders()
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    })
    onward.once('error', () => response.destroy())
    // A client that goes away is seen by the server as if it had been connected itself.
    response.once('close', () => onward.destroy())
    request.pipe(onward)
  }

  #note(path: string, { statusCode = 0, headers }: IncomingMessage): void {
    if (this.#attempts.length >= ATTEMPTS_MAX) throw new Error('nobody reads the attempts')
    const requestId = headers['x-request-id']
    const known = typeof requestId === 'string' ? requestId : null
    this.#attempts.push({ path, status: statusCode, requestId: known })
  }
}
