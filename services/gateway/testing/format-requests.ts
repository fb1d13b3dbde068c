/** Requests in each of the three formats, for tests of what holds in all of them. */

import type { GatewayFixture } from '@svc/testing/gateway/gateway-fixture'
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'

const OUTPUT_TOKENS = 20

/** A body that is well-formed; the fields replace its own. */
export function bodyOf(format: WireFormat, fields: object = {}): object {
  const turns = [{ kind: 'user', text: 'hello there' }] as const
  return format.body({ turns, maxTokens: OUTPUT_TOKENS }, fields)
}

/** @param headers replace the key and the media type */
export function postTo(
  fixture: GatewayFixture,
  path: string,
  body: object | string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(fixture.baseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${fixture.ledger.secret}`,
      ...headers,
    },
    body: bytesOf(body),
    ...(signal === undefined ? {} : { signal }),
  })
}

function bytesOf(body: object | string | Buffer): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body)
}
