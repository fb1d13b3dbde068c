/** A page of HTML for people: self-contained, without scripts, third parties or secrets. */
import { hash } from 'node:crypto'

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 3rem auto; padding: 0 1rem }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: #8882; border-radius: 4px }
code { padding: 0 .25em } pre { padding: .75rem; overflow-x: auto }
.note { border-left: 4px solid #d80; padding-left: .75rem }
details { margin: .5rem 0; border: 1px solid #8884; border-radius: 4px; padding: .25rem .75rem }
summary { cursor: pointer } table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
td, th { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0 }
tr { border-bottom: 1px solid #8883 }
:root { color-scheme: light dark }
`

export const pageHeaders = {
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

/** @param body HTML: everything that comes from elsewhere is escaped by the caller */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body>${body}</body></html>
`
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
