/**
 * Notices that nobody reads a pipe any more, while nothing is written to it.
 *
 * Node learns that from a write that fails, and a command that waits writes nothing. GNU `tail`
 * polls its output for it: one that follows an empty file runs beside the command, and ends when
 * the reader goes. Where there is no such `tail`, the next write finds out.
 */
import { spawn } from 'node:child_process'
import { fstatSync } from 'node:fs'

const LOOK_EVERY_SECONDS = 0.2

/**
 * @param onGone called once, when the reader is gone
 * @returns ends the watch: until then the pipe has a second writer, and its reader sees no end
 */
export function watchReader(fd: number, onGone: () => void): () => void {
  if (!fstatSync(fd).isFIFO()) return () => {}
  const words = [
    '--follow',
    `--sleep-interval=${LOOK_EVERY_SECONDS}`,
    // This process may be killed: nothing of it may stay, and the reader waits for the end.
    `--pid=${process.pid}`,
    '/dev/null',
  ]
  const tail = spawn('tail', words, {
    stdio: ['ignore', fd, 'ignore'],
    // It needs none of the secrets that the environment may hold.
    env: { PATH: process.env.PATH },
  })
  tail.on('error', () => {})
  // Another `tail` refuses these options, and ends without a signal.
  tail.on('exit', (_code, signal) => signal === 'SIGPIPE' && onGone())
  tail.unref()
  return () => void tail.kill()
}
