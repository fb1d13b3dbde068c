/** A large model takes minutes for its tests: who waits for the worker must see that it lives. */
import { pause } from '@svc/contracts/ports/time'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Log } from '../process/log.ts'

const SIGN_MS = 15_000
/** After this many signs, which is ten minutes, the worker gives no more and counts as hung. */
const SIGNS_MAX = 40

export async function withSigns<Result>(log: Log, test: () => Promise<Result>): Promise<Result> {
  const tested = new AbortController()
  void giveSigns(log, tested.signal)
  try {
    return await test()
  } finally {
    tested.abort()
  }
}

async function giveSigns(log: Log, until: AbortSignal): Promise<void> {
  for (let signs = 1; signs <= SIGNS_MAX; signs += 1) {
    await pause(systemTimer, SIGN_MS, until)
    if (until.aborted) return
    log('info', 'testing the prefix cache', { signs })
  }
}
