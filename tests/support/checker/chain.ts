import { createHash } from 'node:crypto'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { Violation } from './violation.ts'

const NO_HASH = '0'.repeat(64)

/** I11 and I12, computed as `docs/reference/events.md` says and not as the product does. */
export function chainViolations(events: readonly RecordedEvent[]): readonly Violation[] {
  const heads = new Map<string, { revision: number; hash: string }>()
  const violations: Violation[] = []
  let position = -1n
  for (const event of events) {
    const head = heads.get(event.stream) ?? { revision: -1, hash: NO_HASH }
    const subject = `${event.stream}@${event.revision}`
    if (event.revision !== head.revision + 1) {
      const problem = `follows revision ${head.revision}`
      violations.push({ invariant: 'I12', subject, problem })
    }
    if (event.position <= position) {
      const problem = `position ${event.position} follows ${position}`
      violations.push({ invariant: 'I12', subject, problem })
    }
    if (event.hash !== linkAfter(head.hash, event)) {
      const problem = 'its hash does not cover what it says'
      violations.push({ invariant: 'I11', subject, problem })
    }
    heads.set(event.stream, event)
    position = event.position
  }
  return violations
}

function linkAfter(previous: string, event: RecordedEvent): string {
  const { stream, revision, id, type, data, metadata } = event
  const covered = JSON.stringify([previous, stream, revision, id, type, data, metadata])
  return createHash('sha256').update(covered).digest('hex')
}
