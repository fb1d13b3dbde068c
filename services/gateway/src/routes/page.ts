/** The page at `/`: what this is and how to call it. Self-contained, without scripts or secrets. */
import { MODEL } from '@svc/contracts/wire/models'
import type { FastifyInstance } from 'fastify'
import type { RootUrl } from '../http/base-address.ts'
import { escapeHtml, htmlPage, pageHeaders, preformatted } from '../http/html-page.ts'
import { servedBy, type WorkerPool } from '../routing/worker-pool.ts'

export interface PageInformation {
  readonly version: string
  /** Where to read on. */
  readonly links: readonly { readonly title: string; readonly href: string }[]
}

export function pageRoute(
  information: PageInformation,
  workers: Pick<WorkerPool, 'workers'>,
  rootUrl: RootUrl,
) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/', (request, reply) => {
      return reply.headers(pageHeaders).send(page(information, workers, rootUrl(request)))
    })
  }
}

function page(
  { version, links }: PageInformation,
  workers: Pick<WorkerPool, 'workers'>,
  rootUrl: string,
): string {
  const model = servedBy(workers)
  const runs = model === undefined ? 'No model is loaded yet.' : `It runs ${model.modelName}.`
  const toy = model?.toy
    ? '<p class="note">The model is a <strong>toy</strong> of a few million parameters: it shows ' +
      'real inference and real billing, and answers little. Set <code>SVC_MODEL</code> to the ' +
      'path of a GGUF file to run your own.</p>'
    : ''
  const items = links.map(
    ({ title, href }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a></li>`,
  )
  const body = `<h1>svc</h1>
<p>This server runs a language model and sells it by the token, from prepaid accounts, with a
receipt for every request. ${escapeHtml(runs)}</p>
${toy}
<p>Base URL for OpenAI clients: <code>${escapeHtml(rootUrl)}/v1</code>, for Anthropic clients
<code>${escapeHtml(rootUrl)}</code>; model <code>${MODEL}</code>.</p>
${preformatted('Example', exampleAt(rootUrl))}
<p><code>$SVC_KEY</code> is the key that the first start printed, or one of
<code>./svc key create ACCOUNT --name NAME</code>.</p>
<p>What you have left: <code>GET /v1/balance</code>. What one request cost, and why:
<code>GET /v1/requests/ID</code>, with the id from the <code>x-request-id</code> header.</p>
<ul>${items.join('')}</ul>
<p>Version ${escapeHtml(version)}</p>`
  return htmlPage('svc', body)
}

function exampleAt(rootUrl: string): string {
  return `curl ${rootUrl}/v1/chat/completions \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${MODEL}","messages":[
       {"role":"user","content":"What is the capital of France?"}]}'`
}
