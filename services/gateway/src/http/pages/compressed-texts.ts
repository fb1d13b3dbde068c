/** Long texts of the server's own, such as the reference: compressed once, for all who take it. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { RecentlyUsed } from '@svc/infra/recently-used'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * How many texts are kept. A few are enough: a text differs only by the address that the server is
 * reached under.
 */
const TEXTS_KEPT = 8

const compress = promisify(gzip)

export class CompressedTexts {
  readonly #textOf: (address: string) => Promise<string>
  readonly #kept = new RecentlyUsed<string, Buffer>({ entriesMax: TEXTS_KEPT })

  constructor(textOf: (address: string) => Promise<string>) {
    this.#textOf = textOf
  }

  async send(address: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('vary', 'accept-encoding')
    if (!takesGzip(request)) return reply.send(await this.#textOf(address))
    return reply.header('content-encoding', 'gzip').send(await this.#compressed(address))
  }

  async #compressed(address: string): Promise<Buffer> {
    const known = this.#kept.get(address)
    if (known !== undefined) return known
    const compressed = await compress(await this.#textOf(address))
    this.#kept.set(address, compressed)
    return compressed
  }
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers['accept-encoding'] ?? ''))
}
