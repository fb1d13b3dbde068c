/**
 * `GET /openapi.json` for tools, and `GET /docs` for people. Both are open: they hold no secrets.
 */
import type { FastifyInstance } from 'fastify'
import type { RootUrl } from '../http/base-address.ts'
import { CompressedTexts } from '../http/pages/compressed-texts.ts'
import { pageHeaders } from '../http/pages/html-page.ts'
import { Reference, type ReferenceOptions } from '../openapi/reference.ts'

export function referenceRoutes(options: ReferenceOptions, rootUrl: RootUrl) {
  const reference = new Reference(options)
  const documents = new CompressedTexts(() => reference.document())
  const pages = new CompressedTexts((address) => reference.page(address))
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/openapi.json', (request, reply) =>
      documents.send('', request, reply.type('application/json')),
    )
    app.get('/docs', (request, reply) =>
      pages.send(rootUrl(request), request, reply.headers(pageHeaders)),
    )
  }
}
