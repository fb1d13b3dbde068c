/** A rebuild of a view, with its progress. */
import { performance } from 'node:perf_hooks'
import type { RebuildProgress, RebuildResult } from '@svc/contracts/admin/log'
import type { Projections } from '@svc/projections/open-projections'
import { progressLines, ratePerSecond } from './progress-lines.ts'

export function rebuildLines(
  projections: Pick<Projections, 'rebuild'>,
  name: string,
): AsyncGenerator<RebuildProgress | RebuildResult> {
  return progressLines<RebuildProgress, RebuildResult>(async (report, signal) => {
    const startedAt = performance.now()
    const rateOf = ratePerSecond()
    const summary = await projections.rebuild(
      name,
      ({ done, total }) => report({ type: 'progress', done, total, rate: rateOf(done) }),
      signal,
    )
    return { type: 'result', ...summary, seconds: (performance.now() - startedAt) / 1000 }
  })
}
