/** Progress of long work: drawn over itself for a person, a line now and then for a log file. */
import type { Context } from '../context/context.ts'

/** Without a terminal a line this often is enough. */
const LINE_MS = 5_000
const DRAW_MS = 100

export interface ProgressDrawer {
  /** @param share of the work, 0 to 1; not a number when there is none to do */
  (share: number, detail: string): void
  end(): void
}

export function progressDrawer(context: Context): ProgressDrawer {
  const { terminal } = context
  let drawnAt = performance.now()
  let drawn = false
  const draw = (share: number, detail: string) => {
    const everyMs = terminal.errIsTerminal ? DRAW_MS : LINE_MS
    if (context.json || performance.now() - drawnAt < everyMs) return
    drawnAt = performance.now()
    const percent = Number.isNaN(share) ? 100 : Math.min(100, Math.floor(share * 100))
    const text = `${percent}%  ${detail}`
    terminal.err(terminal.errIsTerminal ? `\r${text}\u001b[K` : `${text}\n`)
    drawn = true
  }
  return Object.assign(draw, {
    end: () => {
      if (drawn && terminal.errIsTerminal) terminal.err('\n')
    },
  })
}
