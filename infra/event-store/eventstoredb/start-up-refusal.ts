/** Why a server cannot be used, in one line that says what to do. */
import { StoreOpenError } from '../../store-open-error.ts'
import type { NodeReport } from './client/cluster-nodes.ts'
import { isAccessDenied, reasonOf } from './client/server-failure.ts'

/** The oldest version that gives each event of a stream its position in the log. */
const OLDEST_VERSION = [22, 10] as const

interface Reason {
  readonly code: StoreOpenError['code']
  /** Goes on from the name of the server. */
  readonly says: string
}

/**
 * Makes the refusal for an error against which waiting does not help.
 * @returns undefined for an error that may pass
 */
export function lastingRefusal(error: unknown, place: string): StoreOpenError | undefined {
  if (error instanceof StoreOpenError) return error
  const reason = lastingReason(error)
  return reason && refusalOf(reason, place, error)
}

/**
 * Makes the refusal of a cluster whose every node gives a reason against which waiting does not
 * help. The client's search for a leader keeps what they say to itself.
 */
export function lastingClusterRefusal(reports: readonly NodeReport[]): StoreOpenError | undefined {
  const reasons = reports.map((report) =>
    'error' in report ? lastingReason(report.error) : undefined,
  )
  const [first] = reasons
  if (first === undefined || reasons.includes(undefined)) return undefined
  return new StoreOpenError(
    first.code,
    `no node of the event store can be used: ${allSay(reports)}`,
  )
}

/**
 * Makes the refusal that says what was the matter until the time was over.
 * @param reports of a cluster: what each node says
 */
export function passingRefusal(
  error: unknown,
  place: string,
  waitedMs: number,
  reports: readonly NodeReport[],
): StoreOpenError {
  const cause = causeOf(error)
  const reason = reasonOf(cause)
  const seconds = Math.round(waitedMs / 1_000)
  const refuse = (code: StoreOpenError['code'], message: string) =>
    new StoreOpenError(code, message, { cause })
  const views = reports.flatMap((report) => ('view' in report ? [report.view] : []))
  if (views.length > 0) {
    const lacksMajority = views.some(({ nodes, nodesAlive }) => 2 * nodesAlive <= nodes)
    const what = lacksMajority ? 'has no majority of its nodes' : 'was not ready'
    const advice = lacksMajority
      ? 'start the others'
      : 'see their logs, and that svc reaches the addresses that they advertise'
    return refuse(
      'not-ready',
      `the event store at ${place} ${what} within ${seconds} s: ${allSay(reports)}: ${advice}`,
    )
  }
  if (reports.length > 0) {
    return refuse(
      'unreachable',
      `no node of the event store could be reached within ${seconds} s: ${allSay(reports)}: ` +
        'check that they run, their hosts and ports, and tls=',
    )
  }
  if (/not ready/i.test(reason)) {
    return refuse(
      'not-ready',
      `the event store at ${place} was not ready within ${seconds} s: see its log, and try again`,
    )
  }
  return refuse(
    'unreachable',
    `no event store could be reached at ${place} within ${seconds} s (${reason}): check that ` +
      'it runs, its host and port, and tls=',
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

function lastingReason(error: unknown): Reason | undefined {
  const cause = causeOf(error)
  const reason = reasonOf(cause)
  if (isAccessDenied(cause)) {
    const says =
      'refuses the user: check name and password in the address, and that the user may read $all'
    return { code: 'access-denied', says }
  }
  if (/wrong version number|packet length too long|ssl3_get_record/i.test(reason)) {
    const says = 'speaks no TLS: add tls=false to the address, or set up TLS there'
    return { code: 'no-tls', says }
  }
  if (/does not match certificate's altnames/i.test(reason)) {
    const says = 'has a certificate for another name: use a name that the certificate holds'
    return { code: 'untrusted-certificate', says }
  }
  if (/certificate|unable to verify/i.test(reason)) {
    const says =
      `has a certificate of an unknown authority (${reason}): name the authority with ` +
      'tlsCAFile=FILE in the address'
    return { code: 'untrusted-certificate', says }
  }
  return undefined
}

function refusalOf({ code, says }: Reason, place: string, error: unknown): StoreOpenError {
  const cause = causeOf(error)
  return new StoreOpenError(code, `the event store at ${place} ${says}`, { cause })
}

function allSay(reports: readonly NodeReport[]): string {
  return reports.map((report) => `${report.place} ${whatItSays(report)}`).join('; ')
}

function whatItSays(report: NodeReport): string {
  if ('error' in report) {
    return lastingReason(report.error)?.says ?? `does not answer (${reasonOf(report.error)})`
  }
  const { leader, nodes, nodesAlive } = report.view
  const sees = `sees ${nodesAlive} of ${nodes} nodes`
  return leader === undefined ? `${sees} and no leader` : `${sees} and the leader ${leader}`
}

/** A read wraps what the client said. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}
