/** A rebuild as a stream of lines: progress, then exactly one result. */
import { performance } from 'node:perf_hooks'
import type { Projections } from '@svc/projections/open-projections'
import type { RebuildProgress, RebuildResult } from './operations.ts'

/** The reader sees the latest progress, however slowly it reads: nothing is queued. */
export async function* rebuildLines(
  projections: Pick<Projections, 'rebuild'>,
  name: string,
): AsyncGenerator<RebuildProgress | RebuildResult> {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const cancel = new AbortController()
  let latest: RebuildProgress | undefined
  let news = Promise.withResolvers<void>()

  const finished = projections
    .rebuild(
      name,
      ({ done, total }) => {
        latest = { type: 'progress', done, total, rate: Math.round(done / seconds()) }
        news.resolve()
      },
      cancel.signal,
    )
    .then((summary) => ({ type: 'result', ...summary, seconds: seconds() }) as const)
  // A reader that leaves early takes no result; the failure that its cancel causes is no news.
  finished.catch(() => {})

  try {
    for (;;) {
      const result = await Promise.race([finished, news.promise])
      if (result !== undefined) {
        yield result
        return
      }
      news = Promise.withResolvers<void>()
      if (latest !== undefined) yield latest
    }
  } finally {
    cancel.abort()
    await finished.catch(() => {})
  }
}
