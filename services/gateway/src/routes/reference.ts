/** `GET /openapi.json` for tools, and `GET /docs` for people. Both are open: they hold no secrets. */
import type { FastifyInstance } from 'fastify'
import type { RootUrl } from '../http/base-address.ts'
import { pageHeaders } from '../http/html-page.ts'
import { openApiDocument } from '../openapi/document.ts'
import { referencePage } from '../openapi/page.ts'

/** @param publicUrl what the document names as the server; undefined: where it was read from */
export function referenceRoutes(version: string, publicUrl: string | undefined, rootUrl: RootUrl) {
  return async (app: FastifyInstance): Promise<void> => {
    const document = openApiDocument(
      version,
      publicUrl === undefined ? {} : { serverUrl: publicUrl },
    )
    const json = JSON.stringify(document)
    const page = referencePage(document)
    app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(json))
    app.get('/docs', (request, reply) => reply.headers(pageHeaders).send(page(rootUrl(request))))
  }
}
