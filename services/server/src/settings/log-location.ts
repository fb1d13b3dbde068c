/** Where the events of a service are: in a file of its data folder, or on a server. */
import {
  parseConnectionString,
  placeOf,
} from '@svc/infra/event-store/eventstoredb/client/connection-string'
import type { LogSettings } from './settings.ts'

export type LogLocation =
  | { readonly kind: 'sqlite' }
  | {
      readonly kind: 'eventstoredb'
      /** May hold a password: see {@link shownLocation}. */
      readonly url: string
      readonly streamPrefix: string
      readonly readyWithinMs: number
    }

export function logLocationOf(settings: LogSettings): LogLocation {
  const { EVENTSTORE_URL: url, SVC_EVENTSTORE_PREFIX, SVC_EVENTSTORE_READY_MS } = settings
  if (url === undefined) return { kind: 'sqlite' }
  return {
    kind: 'eventstoredb',
    url,
    streamPrefix: SVC_EVENTSTORE_PREFIX,
    readyWithinMs: SVC_EVENTSTORE_READY_MS,
  }
}

/** For messages: without user and password. To be called when the place was opened. */
export function shownLocation({
  url,
  streamPrefix,
}: LogLocation & { kind: 'eventstoredb' }): string {
  const hosts = placeOf(parseConnectionString(url))
  return `the EventStoreDB at ${hosts} (streams ${streamPrefix}*)`
}
