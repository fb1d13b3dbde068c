/** A verification of the log, with its progress. */
import type { EventStore } from '@svc/contracts/event-store'
import type { Pace } from '@svc/contracts/pace'
import { verifyLog } from '@svc/infra/event-store/verify-log'
import type { VerifyProgress, VerifyResult } from './operations.ts'
import { progressLines, ratePerSecond } from './progress-lines.ts'

export function verifyLines(
  store: Pick<EventStore, 'readAll' | 'lastPosition'>,
  pace: Pace,
): AsyncGenerator<VerifyProgress | VerifyResult> {
  return progressLines<VerifyProgress, VerifyResult>(async (report, signal) => {
    const rateOf = ratePerSecond()
    const head = `${await store.lastPosition()}`
    const { streams, events, broken, position } = await verifyLog(store, {
      pace,
      signal,
      onProgress: ({ events, position }) => {
        report({ type: 'progress', events, position: `${position}`, head, rate: rateOf(events) })
      },
    })
    return { type: 'result', streams, events, broken, position: `${position}` }
  })
}
