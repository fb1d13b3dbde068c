/** Fills the pauses of a stream, so that both ends notice when the other one is gone. */
import { within } from '@svc/contracts/ports/within'
import { systemTimer } from '@svc/infra/system/system-timer'

/** The first heartbeat comes early, so that the reader knows that the server took its request. */
const FIRST_QUIET_MS = 50

/** Yields what the source yields, and `heartbeat` whenever it was quiet for `quietMs`. */
export async function* withHeartbeat<T extends object>(
  source: AsyncIterable<T>,
  quietMs: number,
): AsyncGenerator<T | 'heartbeat'> {
  const iterator = source[Symbol.asyncIterator]()
  let patienceMs = Math.min(FIRST_QUIET_MS, quietMs)
  try {
    let next = iterator.next()
    for (;;) {
      const result = await within(systemTimer, patienceMs, next, 'heartbeat' as const)
      patienceMs = quietMs
      if (result === 'heartbeat') yield result
      else if (result.done === true) return
      else {
        yield result.value
        next = iterator.next()
      }
    }
  } finally {
    // This is not awaited: a source that waits for its next value returns only when its signal is
    // aborted.
    void iterator.return?.()
  }
}
