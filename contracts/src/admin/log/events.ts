/** The events of the log, as they are stored. */
import { z } from 'zod'
import { lineOperation, operation, type Shown } from '../declaration/declaration.ts'
import { eventOrMovementId, id, pageLimit, position } from '../declaration/fields.ts'

const filter = { stream: id.optional(), type: id.optional(), after: position.optional() }

const loggedEvent = z.object({
  position: z.string(),
  stream: z.string(),
  revision: z.int().min(0),
  type: z.string(),
  id: z.string(),
  hash: z.string(),
  /** The data as stored: the names in it are those of the storage format. */
  data: z.unknown(),
  /**
   * The metadata as stored, but for the name of an admin token in `actor`, which is kept beside the
   * log.
   */
  metadata: z.unknown(),
})
export type LoggedEvent = Shown<typeof loggedEvent>

const eventPage = z.object({
  events: z.array(loggedEvent),
  /** Whether the log was not looked through to its end. */
  more: z.boolean(),
  /** The place to go on from: the `after` of the next page. It is null when there is no more. */
  next: z.string().nullable(),
})
const newestPage = eventPage.extend({
  /** The place to go on from: the `until` of the next page. It is null when there is no more. */
  next: z.string().nullable(),
})
export type EventPage = Shown<typeof eventPage>

export const eventOperations = {
  listEvents: operation({
    method: 'GET',
    path: '/events',
    role: 'auditor',
    summary: 'Events in the order of the log',
    recorded: ['stream', 'type'],
    input: z.strictObject({ ...filter, limit: pageLimit }),
    output: eventPage,
  }),
  newestEvents: operation({
    method: 'GET',
    path: '/events/newest',
    role: 'auditor',
    summary: 'Events back from the end of the log, or from one of them',
    recorded: ['actor', 'type', 'except'],
    input: z.strictObject({
      /**
       * The actor that caused the events: `user:usr_…`, or all of a kind, such as `user`;
       * `administrators` is all users and admin tokens.
       */
      actor: id.optional(),
      type: id.optional(),
      /** A type whose events are left out, such as `RecordsRead`. */
      except: id.optional(),
      /** The position of the first event, which is in the page. */
      until: position.optional(),
      limit: pageLimit,
    }),
    output: newestPage,
  }),
  findEvent: operation({
    method: 'GET',
    path: '/events/:event_id',
    role: 'auditor',
    summary: 'One event, by its id or by that of the grant, adjustment or refund that it made',
    recorded: ['event_id'],
    input: z.strictObject({ event_id: eventOrMovementId }),
    output: loggedEvent,
  }),
  tailEvents: lineOperation({
    method: 'GET',
    path: '/events/tail',
    role: 'auditor',
    summary: 'Events as they come, from behind a position (default: the end)',
    recorded: ['stream', 'type'],
    input: z.strictObject(filter),
    output: loggedEvent,
  }),
}
