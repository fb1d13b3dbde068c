/** The read models that follow the log. */
import { z } from 'zod'
import { lineOperation, operation, type Shown } from '../declaration/declaration.ts'
import { count, id, nothing } from '../declaration/fields.ts'
import { passedOver, rate } from './reading.ts'

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
  /** The number of events that are in the view. */
  events: count,
  /** Events of the log that are not in it yet: at least this many, where the count is not exact. */
  behind_events: count,
  behind_events_exact: z.boolean(),
  /**
   * The age of the oldest event that is not in it yet. 0 means that all are; null that it is not
   * known.
   */
  behind_seconds: z.number().min(0).nullable(),
  /** The last rebuild since the start of the server; null: none. */
  rebuild: rebuildState.nullable(),
})
export type ProjectionDetails = Shown<typeof projectionDetails>

const rebuildTrial = z.object({
  name: z.string(),
  /** The number of events that a rebuild would fold, if it began now. */
  events: count,
  /**
   * The number of events that were folded to try it, and in a second; null where there are none.
   */
  tried: count,
  rate: z.number().nullable(),
  /** The time that a rebuild takes at this rate. */
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

export const projectionOperations = {
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
}
