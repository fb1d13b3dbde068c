/** A rebuild of a view, with its progress; and what it would have to do. */
import { performance } from 'node:perf_hooks'
import type { RebuildProgress, RebuildResult, RebuildTrial } from '@svc/contracts/admin/projections'
import { untilAborted } from '@svc/contracts/ports/within'
import type { Projections } from '@svc/projections/open-projections'
import { progressLines, ratePerSecond } from './progress-lines.ts'

const SECOND_MS = 1_000

export interface AskedRebuild {
  readonly name: string
  /** Whether it goes on when its reader leaves. */
  readonly detached: boolean
}

export function rebuildLines(
  projections: Pick<Projections, 'rebuild'>,
  { name, detached }: AskedRebuild,
): AsyncGenerator<RebuildProgress | RebuildResult> {
  return progressLines<RebuildProgress, RebuildResult>(async (report, left) => {
    const startedAt = performance.now()
    const rateOf = ratePerSecond()
    const rebuilt = projections.rebuild(
      name,
      ({ done, total, passedOver }) => {
        const rate = rateOf(done)
        report({ type: 'progress', done, total, passed_over: passedOver, rate })
      },
      detached ? undefined : left,
    )
    // The rebuild goes on when its reader has left, and nobody waits for its end.
    const summary = await (detached ? untilAborted(rebuilt, left) : rebuilt)
    return { type: 'result', ...summary, seconds: (performance.now() - startedAt) / SECOND_MS }
  })
}

/** @returns what a rebuild would have to do, and the time that its beginning takes now */
export async function triedRebuild(
  projections: Pick<Projections, 'tryRebuild'>,
  name: string,
): Promise<RebuildTrial> {
  const startedAt = performance.now()
  const trial = await projections.tryRebuild(name)
  const triedSeconds = (performance.now() - startedAt) / SECOND_MS
  const rate = trial.tried === 0 ? null : Math.max(1, Math.round(trial.tried / triedSeconds))
  return { ...trial, rate, seconds: rate === null ? null : trial.events / rate }
}
