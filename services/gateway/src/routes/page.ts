/** The page at `/`: what this is and how to call it. Self-contained, without scripts or secrets. */
import { hash } from 'node:crypto'
import { MODEL } from '@svc/contracts/wire/models'
import type { FastifyInstance } from 'fastify'
import { baseUrlOf } from '../base-address.ts'
import type { WorkerPool } from '../routing/worker-pool.ts'

export interface PageInformation {
  readonly version: string
  /** Where to read on. */
  readonly links: readonly { readonly title: string; readonly href: string }[]
}

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: #8882; border-radius: 4px }
code { padding: 0 .25em } pre { padding: .75rem; overflow-x: auto }
.note { border-left: 4px solid #d80; padding-left: .75rem }
:root { color-scheme: light dark }
`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

export function pageRoute(information: PageInformation, workers: Pick<WorkerPool, 'workers'>) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/', (request, reply) => {
      return reply.headers(headers).send(page(information, workers, baseUrlOf(request)))
    })
  }
}

function page(
  { version, links }: PageInformation,
  { workers }: Pick<WorkerPool, 'workers'>,
  baseUrl: string,
): string {
  const model = workers.find(({ health }) => health !== undefined)?.health
  const runs = model === undefined ? 'No model is loaded yet.' : `It runs ${model.modelName}.`
  const toy = model?.toy
    ? '<p class="note">The model is a <strong>toy</strong> of a few million parameters: it shows ' +
      'real inference and real billing, and answers little. Set <code>SVC_MODEL</code> to the ' +
      'path of a GGUF file to run your own.</p>'
    : ''
  const items = links.map(
    ({ title, href }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a></li>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>svc</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body><h1>svc</h1>
<p>This server runs a language model and sells it by the token, from prepaid accounts, with a
ledger that you can check. ${escapeHtml(runs)}</p>
${toy}
<p>Base URL for OpenAI clients: <code>${escapeHtml(baseUrl)}</code>,
model <code>${MODEL}</code>.</p>
<pre>curl ${escapeHtml(baseUrl)}/chat/completions \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${MODEL}","messages":[
       {"role":"user","content":"What is the capital of France?"}]}'</pre>
<p><code>$SVC_KEY</code> is the key that the first start printed, or one of
<code>npx svc key create ACCOUNT --name NAME</code>.</p>
<p>What you have left: <code>GET /v1/balance</code>. What one request cost, and why:
<code>GET /v1/requests/ID</code>, with the id from the <code>x-request-id</code> header.</p>
<ul>${items.join('')}</ul>
<p>Version ${escapeHtml(version)}</p></body></html>
`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
