/** Reads the JSON body of a request, within bounds. */
import type { IncomingMessage } from 'node:http'
import { issueWords } from '@svc/contracts/issue-words'
import type { z } from 'zod'
import { WorkerRefusal } from './refusal.ts'

const BODY_BYTES_MAX = 16 * 1024 * 1024

/** A body that is not what it should be, perhaps not read to its end. */
export class BadBody extends WorkerRefusal {
  /** @param field at fault, where it is one */
  constructor(message: string, field?: string) {
    super('bad_request', message, { field })
  }
}

/**
 * @param parse in place of `JSON.parse`
 * @throws BadBody when the body is too long, no JSON, or has another shape
 */
export async function readJsonBody<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
  parse: (text: string) => unknown = JSON.parse,
): Promise<z.output<Schema>> {
  const given = parseJson(await readText(request), parse)
  const parsed = schema.safeParse(given, { error: issueWords })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const [field] = issue?.path ?? []
  const path = field === undefined ? 'body' : issue?.path.join('.')
  const message = `${path}: ${issue?.message ?? 'is not valid'}`
  throw new BadBody(message, field === undefined ? undefined : String(field))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) throw new BadBody(`body: is longer than ${BODY_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch {
    throw new BadBody('body: is not valid JSON')
  }
}
