/** Logs once a second how far a model is on its way into memory. */
import type { Log } from '../../process/log.ts'

export const PROGRESS_MS = 1000

/** Fields of the log lines that tell it; what shows them as one updating line looks for these. */
export interface ModelProgress {
  readonly model: string
  readonly doneBytes: number
  readonly totalBytes: number
}

/**
 * Logs nothing of what takes less than a second.
 *
 * @param message such as "downloading the model"
 */
export function tellProgress(
  message: string,
  model: string,
  log: Log,
  nowMs: () => number = () => performance.now(),
): (doneBytes: number, totalBytes: number) => void {
  // The time counts from the first call on, because loading the runtime before it is no progress.
  let toldMs: number | undefined
  return (doneBytes, totalBytes) => {
    toldMs ??= nowMs()
    if (nowMs() - toldMs < PROGRESS_MS) return
    toldMs = nowMs()
    const progress: ModelProgress = { model, doneBytes: Math.round(doneBytes), totalBytes }
    log('info', message, { progress })
  }
}
