/** The event log, the views that follow it, and the topic to which it is sent. */
import { z } from 'zod'
import {
  count,
  eventId,
  id,
  lineOperation,
  nothing,
  operation,
  pageLimit,
  position,
  type Shown,
} from './declaration.ts'

const HEAD_CHARACTERS_MAX = 100

const filter = { stream: id.optional(), type: id.optional(), after: position.optional() }
/** Events per second. */
const rate = z.number()
/** Events of others passed over until now, in a shared store: at least this many. */
const passedOver = count
const place = { stream: z.string(), revision: z.int().min(0) }
/** With what is wrong there, in words that end a sentence about the stream. */
const damagedPlace = z.object({ ...place, cause: z.string() })

const quarantinedStream = z.object({
  stream: z.string(),
  /** Null for a stream that is no account's. */
  account_id: z.string().nullable(),
  /** Of the first event that cannot be relied on; null when that is true of the whole stream. */
  revision: z.int().nullable(),
  cause: z.string(),
})
export type QuarantinedStream = Shown<typeof quarantinedStream>

const loggedEvent = z.object({
  position: z.string(),
  ...place,
  type: z.string(),
  id: z.string(),
  hash: z.string(),
  /** As stored: the names in it are those of the storage format. */
  data: z.unknown(),
  /** As stored too, but for the name of an admin token in `actor`, which is kept beside the log. */
  metadata: z.unknown(),
})
export type LoggedEvent = Shown<typeof loggedEvent>

const eventPage = z.object({
  events: z.array(loggedEvent),
  /** Whether the log was not looked through to its end. */
  more: z.boolean(),
  /** Where to go on: the `after` of the next page. Null when there is no more. */
  next: z.string().nullable(),
})
const newestPage = eventPage.extend({
  /** Where to go on: the `until` of the next page. Null when there is no more. */
  next: z.string().nullable(),
})
export type EventPage = Shown<typeof eventPage>

const verifyProgress = z.object({
  type: z.literal('progress'),
  events: count,
  /** Position up to which was read, and the last one of the log when the reading began. */
  position: z.string(),
  head: z.string(),
  passed_over: passedOver,
  rate,
})
export type VerifyProgress = Shown<typeof verifyProgress>

const verifyResult = z.object({
  type: z.literal('result'),
  streams: count,
  events: count,
  /** Empty when every chain holds: the first event of each stream that does not fit, and why. */
  broken: z.array(damagedPlace),
  /** The first event of each stream that nobody can read, though its chain holds. */
  unreadable: z.array(damagedPlace),
  /** Streams that the store was told to shorten, hide or delete, and what it was told. */
  set_aside: z.array(z.object({ stream: z.string(), order: z.string() })),
  /** How many positions have no event, where every one must have one. */
  missing_positions: z.string(),
  /** Who remembers an event that the log does not hold: a view, a snapshot, the noted head. */
  contradicted: z.array(z.object({ source: z.string(), ...place })),
  /** Null when none was given. `cut`: the log ends before it; `differs`: it was altered. */
  anchor: z.enum(['holds', 'cut', 'differs']).nullable(),
  /** What the events have words for, and is kept beside the log. */
  texts: z.object({
    kept: count,
    erased: count,
    /** Events whose text is not the one that they were written with. */
    altered: z.array(z.object(place)),
    /** The first event of each owner whose text is not there, and was not erased since. */
    missing: z.array(z.object(place)),
    /** The last erasure of each owner that has left texts behind: the next start finishes it. */
    unfinished: z.array(z.object(place)),
  }),
  /**
   * To be noted down elsewhere: the anchor of a later verification. Null for an empty log, and for
   * one that was not read from its start.
   */
  head: z.string().nullable(),
  /** Position up to which was read. */
  position: z.string(),
  /** Position from which was read; null: from the start. */
  from: z.string().nullable(),
  /**
   * Whether `lastVerification` tells of it from now on. It does on a running server, unless the log
   * cannot be written to or the caller has had very many kept.
   */
  kept: z.boolean().describe('Whether `lastVerification` tells of it from now on.'),
})
export type VerifyResult = Shown<typeof verifyResult>

/** What is left of a verification that was kept: when, by whom, of what, and how it ended. */
const keptVerification = z.object({
  verified_at: z.string(),
  /** The actor of its event, such as `user:usr_…`. */
  verified_by: z.string(),
  /** Position behind which the reading began (null: from the start), and up to which it went. */
  from: z.string().nullable(),
  position: z.string(),
  streams: count,
  events: count,
  head: z.string().nullable(),
  anchor: z.enum(['holds', 'cut', 'differs']).nullable(),
  /** Whether nothing was found, and the anchor holds if one was given. */
  ok: z.boolean(),
  /** How many of each kind. */
  found: z.object({
    broken: count,
    unreadable: count,
    set_aside: count,
    missing_positions: count,
    contradicted: count,
    texts_altered: count,
    texts_missing: count,
    texts_unfinished: count,
  }),
})
export type KeptVerification = Shown<typeof keptVerification>

export const projectionState = z.object({
  name: z.string(),
  version: z.int(),
  state: z.enum(['catching-up', 'live', 'stopped', 'failed']),
  position: z.string(),
  head: z.string(),
  error: z.string().nullable(),
})
export type ProjectionState = Shown<typeof projectionState>

const rebuildState = z.object({
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  /** Events folded, of those that are folded until the comparison: fixed at the start. */
  done: count,
  total: count,
  /** Rows that differed between the old and the new view; null until it is done. */
  differences: count.nullable(),
  error: z.string().nullable(),
})

const projectionDetails = projectionState.extend({
  /** That are in the view. */
  events: count,
  /** Events of the log that are not in it yet: at least this many, where the count is not exact. */
  behind_events: count,
  behind_events_exact: z.boolean(),
  /** How old the oldest event is that is not in it yet; 0: all are; null: not known. */
  behind_seconds: z.number().min(0).nullable(),
  /** The last rebuild since the start of the server; null: none. */
  rebuild: rebuildState.nullable(),
})
export type ProjectionDetails = Shown<typeof projectionDetails>

const rebuildTrial = z.object({
  name: z.string(),
  /** That a rebuild would fold, if it began now. */
  events: count,
  /** That were folded to try it, and how many in a second; null where there are none. */
  tried: count,
  rate: z.number().nullable(),
  /** At this rate. */
  seconds: z.number().nullable(),
})
export type RebuildTrial = Shown<typeof rebuildTrial>

const rebuildProgress = z.object({
  type: z.literal('progress'),
  done: count,
  total: count,
  passed_over: passedOver,
  rate,
})
export type RebuildProgress = Shown<typeof rebuildProgress>

const rebuildResult = z.object({
  type: z.literal('result'),
  name: z.string(),
  events: count,
  seconds: z.number(),
  /** Rows that differed between the old and the new view. */
  differences: count,
})
export type RebuildResult = Shown<typeof rebuildResult>

/** Of the topic to which events are sent. */
const feedCheckProgress = z.object({
  type: z.literal('progress'),
  /** Of the log and of the topic, so far. */
  events: count,
  records: count,
})

const feedCheckResult = z.object({
  type: z.literal('result'),
  topic: z.string(),
  /** Up to here the log was compared; what is behind it may be on its way still. */
  position: z.string(),
  /** Accounts, and one for the prices. */
  keys: count,
  events: count,
  records: count,
  /** Records of an event that the topic has already: consumers drop them by their id. */
  doubled: count,
  /** Events that came behind newer ones of their account, because they were sent again. */
  late: count,
  /** Empty when every event is there. */
  findings: z.array(
    z.object({
      /** The account, or `pricing`. */
      key: z.string(),
      events: count,
      missing: count,
      /** From where a resend has all of them; null when none is missing. */
      first_missing: z.string().nullable(),
      /** Whether its last event has the same hash in the topic and in the log. */
      last_hash: z.enum(['holds', 'differs']),
    }),
  ),
})
export type FeedCheckResult = Shown<typeof feedCheckResult>

const feedResendProgress = z.object({ type: z.literal('progress'), events: count })
const feedResendResult = z.object({
  type: z.literal('result'),
  topic: z.string(),
  /** Events that were sent again, each acknowledged. */
  events: count,
  /** The last position that was looked at: behind it the feed goes on by itself. */
  position: z.string(),
})

export const logOperations = {
  verify: lineOperation({
    method: 'POST',
    path: '/verify',
    role: 'auditor',
    summary: 'Check the whole event log',
    input: z.strictObject({
      /** The head that an earlier verification gave. */
      anchor: z.string().max(HEAD_CHARACTERS_MAX).optional(),
      /** The position up to which an earlier one has read: what lies before is not read again. */
      from: position.optional(),
    }),
    output: z.discriminatedUnion('type', [verifyProgress, verifyResult]),
  }),
  lastVerification: operation({
    method: 'GET',
    path: '/verify/last',
    role: 'auditor',
    summary: 'What the last verification on a running server covered and found, and whose it was',
    input: nothing,
    output: z.object({ verification: keptVerification.nullable() }),
  }),
  listQuarantine: operation({
    method: 'GET',
    path: '/quarantine',
    role: 'auditor',
    summary: 'Streams that are damaged and set aside',
    input: nothing,
    output: z.array(quarantinedStream),
  }),
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
    recorded: ['actor', 'type'],
    input: z.strictObject({
      /** Who caused them: `user:usr_…`, or all of a kind, such as `user`. */
      actor: id.optional(),
      type: id.optional(),
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
    summary: 'One event, by its id',
    recorded: ['event_id'],
    input: z.strictObject({ event_id: eventId }),
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
  listProjections: operation({
    method: 'GET',
    path: '/projections',
    role: 'auditor',
    summary: 'Where each read model stands',
    input: nothing,
    output: z.array(projectionDetails),
  }),
  rebuildProjection: lineOperation({
    method: 'POST',
    path: '/projections/:name/rebuild',
    role: 'operator',
    summary: 'Build a read model anew beside the live one, compare, and swap',
    repeat: 'Builds it once more, of the same events: the rows are the same.',
    input: z.strictObject({
      name: id,
      /** Whether it goes on when whoever asked for it goes away. */
      detached: z.boolean().default(false),
    }),
    output: z.discriminatedUnion('type', [rebuildProgress, rebuildResult]),
  }),
  tryRebuild: operation({
    method: 'POST',
    path: '/projections/:name/rebuild/try',
    role: 'operator',
    summary: 'What a rebuild would read, and how long it would take: tried on the first events',
    repeat: 'Tries it once more.',
    input: z.strictObject({ name: id }),
    output: rebuildTrial,
  }),
  cancelRebuild: operation({
    method: 'POST',
    path: '/projections/:name/rebuild/cancel',
    role: 'operator',
    summary: 'End a rebuild, whoever began it: the live read model stays as it is',
    repeat: 'Finds no rebuild any more: `cancelled` is false.',
    input: z.strictObject({ name: id }),
    output: z.object({ cancelled: z.boolean() }),
  }),
  checkFeed: lineOperation({
    method: 'POST',
    path: '/feed/check',
    role: 'auditor',
    summary: 'Compare the topic with the event log: what is missing, doubled, altered',
    input: z.strictObject({}),
    output: z.discriminatedUnion('type', [feedCheckProgress, feedCheckResult]),
  }),
  resendFeed: lineOperation({
    method: 'POST',
    path: '/feed/resend',
    role: 'operator',
    summary: 'Send events to the topic once more, from a position on',
    repeat: 'Sends them once more: consumers drop them by their id.',
    /** The position of the first event, and whose events; all without an account. */
    input: z.strictObject({ from: position, account_id: id.optional() }),
    output: z.discriminatedUnion('type', [feedResendProgress, feedResendResult]),
  }),
}
