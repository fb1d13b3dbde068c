/** Why a server cannot be used, in one line that says what to do. */
import { StoreOpenError } from '../../store-open-error.ts'
import { isAccessDenied, reasonOf } from './client/server-failure.ts'

/** EventStoreDB gives each event of a stream its position in the log since this version. */
const OLDEST_VERSION = [22, 10] as const

/** Waiting does not help against these. @returns undefined for an error that may pass */
export function lastingRefusal(error: unknown, place: string): StoreOpenError | undefined {
  const cause = causeOf(error)
  const reason = reasonOf(cause)
  const refuse = (code: StoreOpenError['code'], message: string) =>
    new StoreOpenError(code, `the event store at ${place} ${message}`, { cause })
  if (isAccessDenied(cause)) {
    return refuse(
      'access-denied',
      'refuses the user: check name and password in the address, and that the user may read $all',
    )
  }
  if (/wrong version number|packet length too long|ssl3_get_record/i.test(reason)) {
    return refuse('no-tls', 'speaks no TLS: add tls=false to the address, or set up TLS there')
  }
  if (/does not match certificate's altnames/i.test(reason)) {
    return refuse(
      'untrusted-certificate',
      'has a certificate for another name: use a name that the certificate holds',
    )
  }
  if (/certificate|unable to verify/i.test(reason)) {
    return refuse(
      'untrusted-certificate',
      `has a certificate of an unknown authority (${reason}): name the authority with ` +
        'tlsCAFile=FILE in the address',
    )
  }
  return undefined
}

/** What was the matter until the time was over. */
export function passingRefusal(error: unknown, place: string, waitedMs: number): StoreOpenError {
  const cause = causeOf(error)
  const reason = reasonOf(cause)
  const seconds = Math.round(waitedMs / 1_000)
  return /not ready/i.test(reason)
    ? new StoreOpenError(
        'not-ready',
        `the event store at ${place} was not ready within ${seconds} s: see its log, and try again`,
        { cause },
      )
    : new StoreOpenError(
        'unreachable',
        `no event store could be reached at ${place} within ${seconds} s (${reason}): check that ` +
          'it runs, its host and port, and tls=',
        { cause },
      )
}

/** @returns undefined when the version will do */
export function oldServerRefusal(version: string, place: string): StoreOpenError | undefined {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? []
  const [oldestMajor, oldestMinor] = OLDEST_VERSION
  const isOld =
    Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor)
  if (!isOld) return undefined
  const oldest = OLDEST_VERSION.join('.')
  return new StoreOpenError(
    'old-server',
    `the event store at ${place} is of version ${version}: set up version ${oldest} or newer`,
  )
}

/** A read wraps what the client said. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}
