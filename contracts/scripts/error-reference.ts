/** The page `docs/reference/errors.md`, made of the error catalogue. */
import { type ErrorCode, type ErrorEntry, errorCatalogue } from '../src/errors.ts'
import { markdownTable } from './markdown-table.ts'

const introduction = `# Errors

<!-- Written by \`npm run docs:errors\` from \`contracts/src/error-catalogue.ts\`. Do not edit by hand. -->

Every error is a JSON body in the format of the API that was called, and carries the id of the
request in the header \`x-request-id\`. A code is stable and means one thing.

In the chat completions and Responses formats, and on every other path:

\`\`\`json
{
  "error": {
    "message": "…",
    "type": "invalid_request_error",
    "param": null,
    "code": "model_not_found"
  }
}
\`\`\`

In the Messages format: on its paths, and wherever an \`anthropic-version\` header is sent. Its types are
in the table; an overload is 529 there instead of 503:

\`\`\`json
{
  "type": "error",
  "error": {
    "type": "not_found_error",
    "message": "…",
    "details": { "error_code": "model_not_found" }
  },
  "request_id": "req_…"
}
\`\`\`

_Retry_ says whether sending the same request again can help. Where it
cannot, an answer from 401 on carries \`x-should-retry: false\`, which the official clients obey (they
never retry a 400). Where it can and a time is known, \`Retry-After\` tells it in seconds, and
\`x-should-retry: true\` comes with it.
`

const header = ['Status', 'Code', 'Means', 'Type (OpenAI formats)', 'Type (messages)', 'Retry']

/** @returns the page as Markdown, rows in order of status and then of the catalogue */
export function errorReference(): string {
  const entries = Object.entries(errorCatalogue) as [ErrorCode, ErrorEntry][]
  const rows = entries.toSorted(([, one], [, other]) => one.status - other.status).map(row)
  return `${introduction}\n${markdownTable([header, ...rows])}\n`
}

function row([code, entry]: readonly [ErrorCode, ErrorEntry]): readonly string[] {
  return [
    String(entry.status),
    `\`${code}\``,
    entry.doc,
    `\`${entry.openaiType}\``,
    `\`${entry.anthropicType}\``,
    entry.retry ? 'yes' : 'no',
  ]
}
