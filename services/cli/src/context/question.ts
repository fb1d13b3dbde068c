/** A question at a terminal, which is answered by yes or no, or by Ctrl-C. */

import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

export type Answer = 'yes' | 'no' | 'interrupted'

/** The end of the input (Ctrl-D) is a no, as is anything but a yes. */
export async function ask(input: Readable, output: Writable, question: string): Promise<Answer> {
  const lines = createInterface({ input, output, terminal: true })
  const unanswered = new AbortController()
  let isInterrupted = false
  lines.on('SIGINT', () => {
    isInterrupted = true
    unanswered.abort()
  })
  // Readline would leave the question open for ever.
  lines.on('close', () => unanswered.abort())
  try {
    const line = await lines.question(`${question} [y/N] `, unanswered)
    return /^y(es)?$/i.test(line.trim()) ? 'yes' : 'no'
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error
    // What is written next stands on a line of its own.
    output.write('\n')
    return isInterrupted ? 'interrupted' : 'no'
  } finally {
    lines.close()
  }
}
