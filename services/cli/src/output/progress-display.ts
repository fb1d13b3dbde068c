/**
 * Shows how far models are: on a terminal as one line that is written over, elsewhere as a line of
 * the log every few seconds.
 */
import type { Logger } from 'pino'
import { bytesText } from './amounts.ts'

export const LOG_LINE_MS = 5000
const MS_PER_S = 1000
const CLEAR_LINE = '\r\u001B[K'

/** The `progress` field of a worker's log line. */
interface Progress {
  readonly model: string
  readonly doneBytes: number
  readonly totalBytes: number
}

export interface ProgressSurroundings {
  readonly isTerminal: boolean
  readonly write: (text: string) => void
  /** Writes a line of the log, also where the level would leave out what is only informative. */
  readonly log: (fields: object, message: string) => void
  readonly nowMs: () => number
}

export class ProgressDisplay {
  readonly #around: ProgressSurroundings
  readonly #loggedMs = new Map<string | undefined, number>()
  #begun: { readonly message: string; readonly ms: number; readonly bytes: number } | undefined
  #isShown = false

  constructor(around: ProgressSurroundings) {
    this.#around = around
  }

  /** @returns whether the fields of the log line were of progress, which is shown now */
  show(workerId: string | undefined, message: string, fields: object = {}): boolean {
    if (!('progress' in fields)) return false
    const progress = fields.progress as Progress
    if (this.#around.isTerminal) this.#draw(message, progress)
    else this.#logSeldom(workerId, message, progress)
    return true
  }

  /** Clears the line. To be called before something else is written there. */
  clear(): void {
    if (this.#isShown) this.#around.write(CLEAR_LINE)
    this.#isShown = false
  }

  #draw(message: string, { model, doneBytes, totalBytes }: Progress): void {
    const nowMs = this.#around.nowMs()
    if (this.#begun?.message !== message) this.#begun = { message, ms: nowMs, bytes: doneBytes }
    const seconds = (nowMs - this.#begun.ms) / MS_PER_S
    const rate = seconds > 0 ? `, ${bytesText((doneBytes - this.#begun.bytes) / seconds)}/s` : ''
    const text = `${message} ${model}: ${partText(doneBytes, totalBytes)}${rate}`
    this.#around.write(`${CLEAR_LINE}${text}`)
    this.#isShown = true
  }

  #logSeldom(workerId: string | undefined, message: string, progress: Progress): void {
    const nowMs = this.#around.nowMs()
    if (nowMs - (this.#loggedMs.get(workerId) ?? Number.NEGATIVE_INFINITY) < LOG_LINE_MS) return
    this.#loggedMs.set(workerId, nowMs)
    const { doneBytes, totalBytes } = progress
    this.#around.log({ workerId, ...progress }, `${message}: ${partText(doneBytes, totalBytes)}`)
  }
}

/** Shows progress, but not where the operator wants to hear of nothing but errors. */
export function progressOnStandardError(logger: Logger): ProgressDisplay {
  const isTold = logger.isLevelEnabled('warn')
  const informative = logger.child({}, { level: isTold ? 'info' : logger.level })
  return new ProgressDisplay({
    isTerminal: isTold && process.stderr.isTTY === true,
    write: (text) => void process.stderr.write(text),
    log: (fields, message) => informative.info(fields, message),
    nowMs: () => performance.now(),
  })
}

function partText(doneBytes: number, totalBytes: number): string {
  const percent = totalBytes > 0 ? Math.floor((doneBytes / totalBytes) * 100) : 0
  return `${percent} % of ${bytesText(totalBytes)}`
}
