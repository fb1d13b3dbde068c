/**
 * Ends the process at a named place, for the kill test: `settle.before:3` kills it as `kill -9`
 * would when it reaches `settle.before` for the third time.
 */
import {
  type CrashPoint,
  crashPoints,
  noCrashPoints,
  type ReachCrashPoint,
} from '@svc/contracts/crash-points'

const PLAN = /^([a-z-]+\.[a-z-]+):([1-9]\d{0,8})$/

/**
 * Tells that there is no such place, or no such form. Its message is one line that says what is
 * right.
 */
export class CrashPlanError extends Error {
  override readonly name = 'CrashPlanError'
}

/**
 * @param plan the value of `SVC_CRASH_POINT`; nothing when absent or empty
 * @param kill ends the process at once; another one for tests
 * @throws {CrashPlanError}
 */
export function crashPointsFromPlan(
  plan: string | undefined,
  kill: () => void = killThisProcess,
): ReachCrashPoint {
  if (plan === undefined || plan === '') return noCrashPoints
  const { point, pass } = parsePlan(plan)
  let passes = 0
  return (reached) => {
    if (reached !== point) return
    passes += 1
    if (passes === pass) kill()
  }
}

function parsePlan(plan: string): { point: CrashPoint; pass: number } {
  const [, name, pass] = PLAN.exec(plan) ?? []
  if (name === undefined) {
    throw new CrashPlanError(`"${plan}" is not a crash point and a pass, such as settle.before:3`)
  }
  const point = crashPoints.find((known) => known === name)
  if (point === undefined) {
    throw new CrashPlanError(`"${name}" is not a crash point; there are: ${crashPoints.join(', ')}`)
  }
  return { point, pass: Number(pass) }
}

/**
 * Kills this process. SIGKILL to oneself is delivered before the system call returns: nothing runs
 * after it.
 */
function killThisProcess(): void {
  process.kill(process.pid, 'SIGKILL')
}
