/** The note of a move of the ledger to another store: from its beginning until it is finished. */
import { z } from 'zod'
import type { Note } from './folder-notes.ts'

const position = z.string().regex(/^(-1|\d+)$/)

const migrationRecord = z.object({
  /** The id of the move. The mark on the server has it too, which only this move may pass. */
  id: z.string(),
  to: z.enum(['eventstoredb', 'sqlite']),
  /** The other store, or the one that is left: no user, and no password. */
  server: z.string(),
  streamPrefix: z.string(),
  /** `moved`: every event and text was compared, and what is left is to put them in place. */
  phase: z.enum(['texts', 'events', 'moved']),
  /** The place up to which both logs are the same. */
  place: z.object({ source: position, target: position, events: z.int() }),
  /** The position from which the feed goes on in the new log; null before the copy came to it. */
  feed: position.nullable(),
})
export type MigrationNote = z.output<typeof migrationRecord>
export const migrationNote: Note<MigrationNote> = {
  file: 'migration.json',
  schema: migrationRecord,
}

export interface MigrationNotes {
  read(): MigrationNote | undefined
  write(note: MigrationNote): void
  remove(): void
}

/** Why nothing but the migration itself may use the folder, and the way out. */
export function halfMovedProblem(path: string, { to, server, phase }: MigrationNote): string {
  const where =
    to === 'sqlite' ? `from the EventStoreDB at ${server}` : `to the EventStoreDB at ${server}`
  const giveUp = phase === 'moved' ? '' : `, or give it up with svc migrate --to ${to} --give-up`
  return (
    `${path}: its ledger is half-way on its move ${where}. Finish that with svc migrate --to ${to}` +
    giveUp
  )
}
