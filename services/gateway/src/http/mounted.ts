/** Routes of another room, such as the operator's, on a server of the gateway. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { readJsonObject } from './request-body.ts'

/**
 * They get JSON bodies as objects. What they throw is answered as what our own routes throw.
 *
 * @param routes of which no body is a list, a text or a number
 */
export function mounted(routes: FastifyPluginAsync): FastifyPluginAsync {
  return async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers()
    // The text is scanned before it is parsed: a key that is there twice is no amount that anybody
    // meant.
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, body: Buffer) => readJsonObject(body),
    )
    await app.register(routes)
  }
}
