/**
 * Answers with the texts that are kept beside the log, where events and views have only words.
 * Events themselves are shown as they are stored: their hash is over the word.
 */
import type { Declaration } from '@svc/contracts/admin/declaration'
import {
  adminOperations,
  type OperationHandlers,
  type OperationName,
} from '@svc/contracts/admin/operations'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import type { TextStore } from '@svc/contracts/ports/text-store'

/** What the table promises of every handler, and the compiler has checked of each. */
type Handler = (input: object, signal?: AbortSignal) => Promise<unknown> | AsyncIterable<unknown>

const asStored: ReadonlySet<string> = new Set<OperationName>([
  'listEvents',
  'tailEvents',
  'exportEvidence',
])

export function answeringWithTexts(
  handlers: OperationHandlers,
  texts: Pick<TextStore, 'find'>,
): OperationHandlers {
  const showing = Object.entries<Declaration>(adminOperations).map(([name, declared]) => {
    const handler = handlers[name as OperationName] as Handler
    if (asStored.has(name)) return [name, handler]
    const one: Handler = async (input, signal) => {
      return withTextsShown(texts, await handler(input, signal))
    }
    async function* lines(input: object, signal?: AbortSignal): AsyncGenerator<unknown> {
      for await (const line of handler(input, signal) as AsyncIterable<unknown>) {
        yield await withTextsShown(texts, line)
      }
    }
    return [name, declared.answer === 'lines' ? lines : one]
  })
  return Object.fromEntries(showing) as OperationHandlers
}
