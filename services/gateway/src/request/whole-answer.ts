/** An answer that is sent in one piece, when all of it is known. */
import type { AnswerEnding, AnswerPart } from '../formats/inference-request.ts'
import type { ClientConnection } from '../http/client-connection.ts'
import { costHeaders, type Delivery, type LastBytes } from './delivery.ts'

const JSON_CONTENT_TYPE = 'application/json'

export class WholeAnswer implements Delivery {
  readonly started = false
  readonly #client: ClientConnection
  readonly #headers: Readonly<Record<string, string>>
  readonly #render: (parts: readonly AnswerPart[], ending: AnswerEnding) => string
  #parts: AnswerPart[] = []

  constructor(
    client: ClientConnection,
    headers: Readonly<Record<string, string>>,
    render: (parts: readonly AnswerPart[], ending: AnswerEnding) => string,
  ) {
    this.#client = client
    this.#headers = headers
    this.#render = render
  }

  parts(parts: readonly AnswerPart[]): undefined {
    for (const part of parts) this.#parts.push(part)
  }

  restart(): boolean {
    this.#parts = []
    return true
  }

  ending(ending: AnswerEnding): LastBytes {
    const body = this.#render(this.#parts, ending)
    const headers = { ...this.#headers, ...costHeaders(ending) }
    const send = () => sendWhole(this.#client, headers, JSON_CONTENT_TYPE, body)
    return { contentType: JSON_CONTENT_TYPE, body, headers, send }
  }

  fail(): boolean {
    return false
  }

  close(): void {}
}

export function sendWhole(
  client: ClientConnection,
  headers: Readonly<Record<string, string>>,
  contentType: string,
  body: string,
): void {
  const length = String(Buffer.byteLength(body))
  client.open({ ...headers, 'content-type': contentType, 'content-length': length })
  client.end(body)
}
