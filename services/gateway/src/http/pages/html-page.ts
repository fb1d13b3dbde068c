/** A page of HTML for people: self-contained, without scripts, third parties or secrets. */
import { hash } from 'node:crypto'

const STYLE = `
:root { color-scheme: light dark; --back: #fff; --text: #1b1b1b; --soft: #f1f1f1; --line: #ccc }
@media (prefers-color-scheme: dark) {
  :root { --back: #17191c; --text: #e8e8e8; --soft: #272a2e; --line: #4a4e54 }
  a { color: #8ab4f8 } a:visited { color: #c58af9 }
}
html { background: var(--back); color: var(--text) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 3rem auto; padding: 0 1rem }
body.wide { max-width: 75rem }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: var(--soft); border-radius: 4px }
code { padding: 0 .25em; overflow-wrap: anywhere } pre { padding: .75rem; overflow-x: auto }
:focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
.note { border-left: 4px solid #d80; padding-left: .75rem }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 4px }
details { padding: .25rem .75rem }
summary { cursor: pointer } .scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
td, th { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0 }
th { font-weight: normal } th code { overflow-wrap: normal }
tr { border-bottom: 1px solid var(--line) }
@media (max-width: 30rem) {
  body { margin: 1rem auto } td, th { padding-right: .4rem; font-size: 14px }
  th code { font-size: 12px; padding: 0 }
}
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

/**
 * @param body HTML: everything that comes from elsewhere is escaped by the caller
 * @param width `wide` for tables, else of lines that are easy to read
 */
export function htmlPage(title: string, body: string, width: 'text' | 'wide' = 'text'): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body class="${width}"><main>${body}</main></body></html>
`
}

/**
 * Shows text in its own lines. It scrolls where it is too wide, so the keyboard has to reach it.
 */
export function preformatted(label: string, text: string): string {
  return `<pre ${scrolling(label)}>${escapeHtml(text)}</pre>`
}

/** Makes a block that scrolls known to the keyboard and to screen readers. */
export function scrolling(label: string): string {
  return `tabindex="0" role="region" aria-label="${escapeHtml(label)}"`
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
