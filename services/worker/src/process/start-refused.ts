/**
 * The worker cannot start, for a reason that a retry does not change. The message is one line for
 * the operator and says what is wrong with what.
 */
import { messageOf } from '@svc/contracts/error-message'
export class StartRefused extends Error {
  override readonly name: string = 'StartRefused'
}

/** The model's file is not there or cannot be read: what names it is a setting to be changed. */
export class ModelFileRefused extends StartRefused {
  override readonly name = 'ModelFileRefused'
}

/** There is no GPU of the kind that was asked for, or no build of the runtime for it. */
export class GpuAbsent extends StartRefused {
  override readonly name = 'GpuAbsent'
}

/** Exit code of the trial of a GPU that is not there (EX_UNAVAILABLE). */
export const EXIT_ABSENT = 69

/** Exit code of a worker that refused to start (EX_CONFIG of sysexits). */
export const EXIT_REFUSED = 78

/** Exit code of a worker whose runtime broke: another start may serve again (EX_SOFTWARE). */
export const EXIT_BROKEN = 70

const REASON_CHARACTERS_MAX = 300

/** What libraries throw runs over many lines, and the first says what is wrong. */
export function firstLineOf(error: unknown): string {
  const message = messageOf(error)
  return (message.split('\n')[0] ?? '').slice(0, REASON_CHARACTERS_MAX)
}
