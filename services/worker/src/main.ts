/**
 * The process of a worker that a server supervises. By hand it is started as `svc start worker`.
 *
 * stdout carries exactly one line of JSON: `{"type":"ready",…}` when it serves, or
 * `{"type":"refused","reason":…}` when it cannot start, with exit code 78 if a retry would not
 * help. Logs are JSON lines on stderr. SIGTERM drains: no new requests, those that run end, exit
 * code 0.
 */
import { rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { workerLog } from './process/log.ts'
import { EXIT_BROKEN, EXIT_REFUSED, StartRefused } from './process/start-refused.ts'
import type { ListenAddress } from './protocol/protocol-server.ts'
import { type RunningWorker, runWorker } from './run-worker.ts'
import { readSettings, type WorkerSettings } from './settings/worker-settings.ts'

const EXIT_FAILED = 1

const log = workerLog(process.stderr)

/** A parent that died leaves pipes that nobody reads: a write to them must not end this process. */
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** A limit on file sizes makes a write fail, and with it what wrote: not the whole process. */
if (process.platform !== 'win32') process.on('SIGXFSZ', () => {})

try {
  await serve(readSettings(process.argv.slice(2), process.env))
} catch (error) {
  const isRefused = error instanceof StartRefused
  const reason = isRefused ? error.message : `the worker cannot start: ${String(error)}`
  log('error', reason, isRefused ? {} : { err: error })
  printLine({ type: 'refused', reason })
  process.exit(isRefused ? EXIT_REFUSED : EXIT_FAILED)
}

async function serve(settings: WorkerSettings): Promise<void> {
  if (settings.supervised) endWithParent(settings.listen)
  const worker = await runWorker(settings, log, (error) => {
    log('error', 'model runtime failed, worker exits', { err: error })
    process.exit(EXIT_BROKEN)
  })
  drainOnSignal(settings, worker)
  const { address, health } = worker
  printLine({ type: 'ready', address, pid: process.pid, health })
}

function drainOnSignal(settings: WorkerSettings, worker: RunningWorker): void {
  let draining = false
  const drain = () => {
    if (draining) return
    draining = true
    void worker.stop().finally(() => process.exit(0))
  }
  process.on('SIGTERM', drain)
  // Ctrl-C reaches the whole process group; a supervised worker waits for its parent's word.
  process.on('SIGINT', settings.supervised ? () => {} : drain)
}

/** The supervisor holds the other end of stdin: when it dies, however it dies, stdin closes. */
function endWithParent(address: ListenAddress): void {
  const end = () => {
    removeSocket(address)
    process.exit(0)
  }
  process.stdin.on('end', end).on('close', end).on('error', end).resume()
}

/** A supervisor that was killed cannot tidy up: its socket and private folder are left to us. */
function removeSocket(address: ListenAddress): void {
  if (!('socketPath' in address) || process.platform === 'win32') return
  try {
    rmSync(address.socketPath, { force: true })
    rmdirSync(dirname(address.socketPath))
  } catch {
    // Somebody else was faster, or the folder is used for more.
  }
}

function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
