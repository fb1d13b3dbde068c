/**
 * The named places at which the kill test ends a process, before and after every durable effect.
 * In production the port does nothing.
 */
export const crashPoints = [
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

export type CrashPoint = (typeof crashPoints)[number]

/** Called when a place is reached; may not return. */
export type ReachCrashPoint = (point: CrashPoint) => void

export const noCrashPoints: ReachCrashPoint = () => {}
