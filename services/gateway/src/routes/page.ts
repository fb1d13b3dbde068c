/**
 * The page at `/about`: what this is and how to call it. Self-contained, without scripts or
 * secrets. At `/` too, except for browsers where there is a dashboard: they are sent to it.
 */
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import { MODEL } from '@svc/contracts/wire/models'
import type { ModelPrice } from '@svc/contracts/wire/prices'
import type { Ledger } from '@svc/ledger/ledger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RootUrl } from '../http/base-address.ts'
import { escapeHtml, htmlPage, pageHeaders, preformatted } from '../http/pages/html-page.ts'
import { servedBy, type WorkerPool } from '../routing/worker-pool.ts'
import { type ShownPrices, shownPrices } from './prices.ts'

export interface PageInformation {
  readonly version: string
  /** Pages on which to read on. */
  readonly links: readonly { readonly title: string; readonly href: string }[]
}

export interface PagePorts {
  readonly ledger: Pick<Ledger, 'pricing'>
  readonly workers: Pick<WorkerPool, 'workers'>
  readonly pageInformation: PageInformation
  /** Whether prices are shown. Default: they are. */
  readonly publicPrices?: boolean | undefined
  readonly hasDashboard: boolean
}

export function pageRoute(ports: PagePorts, rootUrl: RootUrl) {
  return async (app: FastifyInstance): Promise<void> => {
    const show = (request: FastifyRequest, reply: FastifyReply) =>
      reply.headers(pageHeaders).send(page(ports, rootUrl(request)))
    app.get('/about', show)
    app.get('/', (request, reply) => {
      if (!ports.hasDashboard || !isBrowser(request)) return show(request, reply)
      // The address is relative, so that it holds behind a proxy too.
      return reply.redirect('dashboard/')
    })
  }
}

/** Browsers name HTML; curl and clients of the API take anything, or ask for JSON. */
function isBrowser({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true
}

function page(ports: PagePorts, rootUrl: string): string {
  const { workers, pageInformation, publicPrices = true } = ports
  const { version, links } = pageInformation
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
${publicPrices ? pricesText(shownPrices(ports, DEFAULT_PRICE_LIST)) : ''}
${preformatted('Example', exampleAt(rootUrl))}
<p><code>$SVC_KEY</code> is the key that the first start printed, or one of
<code>./svc key create ACCOUNT --name NAME</code>.</p>
<p>What you have left: <code>GET /v1/balance</code>. What one request cost, and why:
<code>GET /v1/requests/ID</code>, with the id from the <code>x-request-id</code> header.</p>
<ul>${items.join('')}</ul>
<p>Version ${escapeHtml(version)}</p>`
  return htmlPage('svc', body)
}

function pricesText({ price, next_price: next }: ShownPrices): string {
  const change = next === null ? '' : ` From ${next.effective_from} on: ${ratesText(next)}.`
  if (price === null) {
    return `<p>No price is in force: requests are refused until there is one.${change}</p>`
  }
  return `<p>Prices per million tokens: ${ratesText(price)}.${change}
All of it, for programs: <a href="v1/prices"><code>GET /v1/prices</code></a>.</p>`
}

function ratesText({ input, cached_input, output }: ModelPrice): string {
  return `$${input} input, $${cached_input} cached input, $${output} output`
}

function exampleAt(rootUrl: string): string {
  return `curl ${rootUrl}/v1/chat/completions \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${MODEL}","messages":[
       {"role":"user","content":"What is the capital of France?"}]}'`
}
