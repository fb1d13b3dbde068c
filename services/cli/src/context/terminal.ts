/** The place where a command reads and writes. Data goes to `out`, everything else to `err`. */
import type { Writable } from 'node:stream'
import { CliError, EXIT_OUTPUT } from './exit-codes.ts'

export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether a person reads the output, so that colours make sense. */
  readonly outIsTerminal: boolean
  /** The columns of the terminal that shows the output; undefined when none does. */
  readonly columns: number | undefined
  /** Whether a person can be asked, and progress be drawn over itself. */
  readonly errIsTerminal: boolean
  /** Is aborted by Ctrl-C, and when nobody reads the output any more. */
  readonly stop: AbortSignal
  /** Whether it was Ctrl-C that aborted `stop`. */
  readonly interrupted: boolean
  /**
   * Catches Ctrl-C: from now on it aborts `stop`, so that the work in hand ends in a safe state.
   */
  catchInterrupt(): void
  /**
   * From now on the end of the reader aborts `stop` at once, and not only when something is
   * written: for a command that waits.
   *
   * @returns ends the watch
   */
  watchReader(): () => void
  /**
   * Resolves when there is room for more. After the reader has gone it resolves to nothing.
   *
   * @throws {CliError} when the text cannot be written, such as to a full disk
   */
  out(text: string): Promise<void>
  err(text: string): void
  /** Asks a person; only when both ends are terminals. */
  confirm(question: string): Promise<boolean>
  readonly canAsk: boolean
}

/**
 * Writes with back-pressure; a reader that goes (`svc … | head`) is an end, and not an error.
 *
 * @param onGone called once when the reader is gone
 */
export function writerTo(stream: Writable, onGone: () => void): (text: string) => Promise<void> {
  let gone = false
  // Any other error rejects the write that met it.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') return
    gone = true
    onGone()
  })
  return async (text) => {
    if (gone) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    stream.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
      if (error === null || error === undefined || error.code === 'EPIPE') resolve()
      else reject(new CliError(EXIT_OUTPUT, `the output cannot be written: ${error.message}`))
    })
    await promise
  }
}
