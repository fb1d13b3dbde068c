/**
 * The named places at which the kill test ends a process, before and after every durable effect.
 * In production the port does nothing.
 */

/** The places that a server passes which serves and stops. */
export const serverCrashPoints = [
  'accept.decided',
  'append.before',
  'append.after',
  'store.before-commit',
  'store.after-commit',
  'generate.first-token',
  'generate.token',
  'generate.metered',
  'settle.before',
  'settle.after',
  'answer.before-end',
  'answer.after-end',
  'recorded-answer.before',
  'recorded-answer.after',
  'view.before-commit',
  'view.after-commit',
  'snapshot.before',
  'snapshot.after',
  'sweep.before',
  'sweep.after',
  'shutdown.draining',
] as const

/** The places that a ledger passes while it moves to another store. */
const migrationCrashPoints = [
  'migrate.begun',
  'migrate.marked',
  'migrate.texts-copied',
  'migrate.copied',
  'migrate.compared',
  'migrate.renamed',
  'migrate.placed',
] as const

export const crashPoints = [...serverCrashPoints, ...migrationCrashPoints] as const

export type CrashPoint = (typeof crashPoints)[number]

/** Is called when a place is reached; may not return. */
export type ReachCrashPoint = (point: CrashPoint) => void

export const noCrashPoints: ReachCrashPoint = () => {}
