/**
 * Answers with the texts that are kept beside the log, where events and views have only words.
 * Events themselves are shown as they are stored: their hash is over the word. Who caused them is
 * shown by name, where they are listed for people.
 */
import type { EventPage, LoggedEvent } from '@svc/contracts/admin/events'
import type { OperationHandlers, OperationName } from '@svc/contracts/admin/operations'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { withMiddleware } from './middleware.ts'

type Texts = Pick<TextStore, 'find'>
type Show = (texts: Texts, answer: unknown) => Promise<unknown>

/** Files, whose hashes are over what they hold: they show texts by themselves, or show none. */
const asMade: ReadonlySet<string> = new Set<OperationName>([
  'exportEvidence',
  'exportRequests',
  'exportStatement',
])

export function withTexts(handlers: OperationHandlers, texts: Texts): OperationHandlers {
  return withMiddleware(handlers, (name) => {
    if (asMade.has(name)) return undefined
    const show = eventsIn[name] ?? withTextsShown
    return {
      whole(handler) {
        return async (input, signal) => show(texts, await handler(input, signal))
      },
      lines(handler) {
        return async function* (input, signal) {
          for await (const line of handler(input, signal)) yield await show(texts, line)
        }
      },
    }
  })
}

/** Shows by name as well who caused the events, for operations that answer with them. */
const eventsIn: Readonly<Record<string, Show>> = {
  listEvents: pageShown,
  newestEvents: pageShown,
  async findEvent(texts: Texts, answer: unknown) {
    return (await withActorsShown(texts, [answer as LoggedEvent]))[0]
  },
  async tailEvents(texts: Texts, answer: unknown) {
    return (await withActorsShown(texts, [answer as LoggedEvent]))[0]
  },
} satisfies Partial<Record<OperationName, Show>>

async function pageShown(texts: Texts, answer: unknown): Promise<EventPage> {
  const { events, ...page } = answer as EventPage
  return { ...page, events: await withActorsShown(texts, events) }
}

async function withActorsShown(
  texts: Texts,
  events: readonly LoggedEvent[],
): Promise<readonly LoggedEvent[]> {
  const actors = await withTextsShown(texts, events.map(actorIn))
  return events.map((event, index) => {
    const { metadata } = event
    const actor = actors[index]
    return actor === undefined ? event : { ...event, metadata: { ...(metadata as object), actor } }
  })
}

function actorIn({ metadata }: LoggedEvent): string | undefined {
  const { actor } = metadata as { readonly actor?: unknown }
  return typeof actor === 'string' ? actor : undefined
}
