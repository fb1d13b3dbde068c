/** Makes long work a stream of lines: progress now and then, then exactly one result. */
import { performance } from 'node:perf_hooks'

/** A line of progress at most this often: its reader draws a bar. */
const PROGRESS_EVERY_MS = 100

/**
 * The reader sees the latest progress, however slowly it reads: nothing is queued. A reader that
 * leaves early aborts the work, and its stream closes when the work has ended.
 *
 * @param work given where to report, and the signal that it must obey
 */
export async function* progressLines<Progress extends object, Result extends object>(
  work: (report: (progress: Progress) => void, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Progress | Result> {
  const cancel = new AbortController()
  let latest: Progress | undefined
  let reportedMs = Number.NEGATIVE_INFINITY
  let news = Promise.withResolvers<void>()
  const report = (progress: Progress) => {
    latest = progress
    if (performance.now() - reportedMs >= PROGRESS_EVERY_MS) news.resolve()
  }
  const finished = work(report, cancel.signal)
  // The failure that a cancel causes is no news.
  finished.catch(() => {})

  try {
    for (;;) {
      const result = await Promise.race([finished, news.promise])
      if (result !== undefined) {
        yield result
        return
      }
      news = Promise.withResolvers<void>()
      reportedMs = performance.now()
      if (latest !== undefined) yield latest
    }
  } finally {
    cancel.abort()
    await finished.catch(() => {})
  }
}

/** Says whether a line of progress may be written now: rarely enough for its reader. */
export function progressTurns(): () => boolean {
  let saidMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    if (nowMs - saidMs < PROGRESS_EVERY_MS) return false
    saidMs = nowMs
    return true
  }
}

/** Measures how fast the work goes that begins now. */
export function ratePerSecond(): (done: number) => number {
  const startedAt = performance.now()
  return (done) => Math.round((done * 1_000) / (performance.now() - startedAt))
}
