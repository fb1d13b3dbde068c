/** The topic to which the events of the log are sent. */
import { z } from 'zod'
import { lineOperation, type Shown } from '../declaration/declaration.ts'
import { count, id, position } from '../declaration/fields.ts'

const feedCheckProgress = z.object({
  type: z.literal('progress'),
  /** The number of events of the log and of the topic that were read so far. */
  events: count,
  records: count,
})

const feedCheckResult = z.object({
  type: z.literal('result'),
  topic: z.string(),
  /**
   * The position up to which the log was compared. The events behind it may be on their way still.
   */
  position: z.string(),
  /** Accounts, and one for the prices. */
  keys: count,
  events: count,
  records: count,
  /** Records of an event that the topic has already: consumers drop them by their id. */
  doubled: count,
  /** Events that came behind newer ones of their account, because they were sent again. */
  late: count,
  /** Is empty when every event is there. */
  findings: z.array(
    z.object({
      /** The account, or `pricing`. */
      key: z.string(),
      /** Is 0 for an account that only the topic has. */
      events: count,
      missing: count,
      /** The position from which a resend sends all that are missing; null when none is. */
      first_missing: z.string().nullable(),
      /** Whether its last event has the same hash in the topic and in the log. */
      last_hash: z.enum(['holds', 'differs']),
      /**
       * `other` when the topic has a record that the log has with another id or hash, or not at
       * all, such as of what happened before a restore: the feed needs a new topic.
       */
      history: z.enum(['same', 'other']),
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

export const feedOperations = {
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
