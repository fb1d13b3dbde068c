/**
 * The events of the streams `checkpoints-<name of the log>`: one stream for each name that the log
 * is signed under. The names and shapes are the storage format.
 *
 * These events alone are no leaves of the tree: a checkpoint of them would need a checkpoint again.
 */
import { z } from 'zod'

const STREAM_PREFIX = 'checkpoints-'

/** @param origin the name of the log, and of the key that signs it */
export function checkpointsStream(origin: string): string {
  return `${STREAM_PREFIX}${origin}`
}

export function isCheckpointsStream(stream: string): boolean {
  return stream.startsWith(STREAM_PREFIX)
}

export const evidenceEventSchemas = {
  CheckpointSigned: z.object({
    /** A signed note: how many events the tree has, and its root. */
    note: z.string(),
    at: z.int().min(0),
  }),
} as const

type Schemas = typeof evidenceEventSchemas

export type EvidenceEvent = {
  [T in keyof Schemas]: { readonly type: T; readonly data: Readonly<z.output<Schemas[T]>> }
}[keyof Schemas]
