/** Where the events of a service are: in a file of its data folder, or on a server. */
import {
  hostsText,
  parseConnectionString,
} from '@svc/infra/event-store/eventstoredb/client/connection-string'
import { namePrefix, whole } from '@svc/worker/settings/worker-variables'
import { z } from 'zod'
import { parsedBy } from './parsed-settings.ts'
import type { Environment } from './setting-names.ts'

const READY_MS_MAX = 3_600_000

/** Where the events are kept: also what every command that opens a data folder has to know. */
export const logSchema = z.object({
  /** `esdb://…`: the events are on this EventStoreDB. Never shown: it may hold a password. */
  EVENTSTORE_URL: z
    .string()
    .regex(/^(esdb(\+discover)?:\/\/.+)?$/, 'must be such as esdb://host:2113?tls=false')
    .transform((url) => url || undefined)
    .optional(),
  /** What the names of its streams begin with. */
  SVC_EVENTSTORE_PREFIX: namePrefix.default('svc.'),
  /** How long a start waits for the EventStoreDB. */
  SVC_EVENTSTORE_READY_MS: whole(0, READY_MS_MAX).default(30_000),
})
type LogSettings = z.output<typeof logSchema>

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

/**
 * Reads where the log is, for commands that only open it. Other settings are not looked at.
 *
 * @throws {SettingsError}
 */
export function readLogLocation(environment: Environment): LogLocation {
  return logLocationOf(parsedBy(logSchema, environment))
}

export type ServerPlace = LogLocation & { kind: 'eventstoredb' }

/** What can be noted down of an opened place: no user, and no password. */
export function serverOf({ url, streamPrefix }: ServerPlace): {
  readonly server: string
  readonly streamPrefix: string
} {
  return { server: hostsText(parseConnectionString(url)), streamPrefix }
}

/**
 * Shows a server in messages, without user and password. To be called when the place was opened.
 */
export function shownLocation(place: ServerPlace): string {
  const { server, streamPrefix } = serverOf(place)
  return `the EventStoreDB at ${server} (streams ${streamPrefix}*)`
}
