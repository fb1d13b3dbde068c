/** The terminal of this process. */
import { ask } from './question.ts'
import { watchReader } from './reader-watch.ts'
import { type Terminal, writerTo } from './terminal.ts'

export function processTerminal(): Terminal {
  const stop = new AbortController()
  let interrupted = false
  const out = writerTo(process.stdout, () => stop.abort())
  process.stderr.on('error', () => {})
  const canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true
  return {
    environment: process.env,
    outIsTerminal: process.stdout.isTTY === true,
    get columns() {
      return process.stdout.isTTY === true ? process.stdout.columns : undefined
    },
    errIsTerminal: process.stderr.isTTY === true,
    stop: stop.signal,
    get interrupted() {
      return interrupted
    },
    catchInterrupt() {
      // This catches once only: a second Ctrl-C, from an impatient person, ends the process at
      // once.
      process.once('SIGINT', () => {
        interrupted = true
        stop.abort()
      })
    },
    watchReader: () => watchReader(process.stdout.fd, () => stop.abort()),
    out,
    err: (text) => void process.stderr.write(text),
    canAsk,
    async confirm(question) {
      const answer = await ask(process.stdin, process.stderr, question)
      if (answer === 'interrupted') {
        interrupted = true
        stop.abort()
      }
      return answer === 'yes'
    },
  }
}
