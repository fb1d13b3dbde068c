import type { RecordedEvent } from '@svc/contracts/ports/event-store'

/**
 * Milliseconds since 1970; undefined for an event that is damaged, or of another program: whoever
 * alters history may leave what is no JSON.
 */
export function timeOfEvent({ data }: Pick<RecordedEvent, 'data'>): number | undefined {
  try {
    const { at } = JSON.parse(data) as { readonly at?: unknown }
    return typeof at === 'number' ? at : undefined
  } catch {
    return undefined
  }
}
