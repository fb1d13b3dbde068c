/**
 * The worker process. Settings: see `settings.ts`.
 *
 * stdout carries exactly one line of JSON: `{"type":"ready",…}` when it serves, or
 * `{"type":"refused","reason":…}` when it cannot start, with exit code 78 if a retry would not
 * help. Logs are JSON lines on stderr. SIGTERM drains: no new requests, those that run end, exit
 * code 0.
 */
import { rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { jsonLines, type Log } from './log.ts'
import { type ListenAddress, type ProtocolServer, startProtocolServer } from './protocol-server.ts'
import { readSettings, type WorkerSettings } from './settings.ts'
import { EXIT_REFUSED, StartRefused } from './start-refused.ts'
import { startWorker, type Worker } from './worker.ts'

const DRAIN_MS_MAX = 30_000
const EXIT_FAILED = 1
const EXIT_BROKEN = 70

const log = jsonLines(
  (line) => process.stderr.write(line),
  () => new Date(),
)

/** A parent that died leaves pipes that nobody reads: writing to them must not be the end. */
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** A limit on file sizes makes a write fail, and with it what wrote: not the whole process. */
if (process.platform !== 'win32') process.on('SIGXFSZ', () => {})

try {
  await serve(readSettings(process.argv.slice(2), process.env))
} catch (error) {
  const reason =
    error instanceof StartRefused ? error.message : `the worker cannot start: ${String(error)}`
  log('error', reason, error instanceof StartRefused ? {} : { error: stackOf(error) })
  printLine({ type: 'refused', reason })
  process.exit(error instanceof StartRefused ? EXIT_REFUSED : EXIT_FAILED)
}

async function serve(settings: WorkerSettings): Promise<void> {
  if (settings.supervised) endWithParent(settings.listen)
  const worker = await startWorker(settings, log, (error) => {
    log('error', 'the runtime is broken; the worker ends', { error: stackOf(error) })
    process.exit(EXIT_BROKEN)
  })
  const server = await listen(settings, worker, log)
  drainOnSignal(settings, worker, server)
  const { address } = server
  printLine({ type: 'ready', address, pid: process.pid, health: worker.operations.health() })
  log('info', 'ready', { address, workerId: settings.workerId })
}

async function listen(
  { listen: address, secret }: WorkerSettings,
  { operations }: Worker,
  log: Log,
): Promise<ProtocolServer> {
  try {
    return await startProtocolServer({ operations, listen: address, secret, log })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error'
    const place = 'port' in address ? `port ${address.port}` : `socket ${address.socketPath}`
    throw new StartRefused(`cannot listen on ${place} (${code})`)
  }
}

function drainOnSignal(settings: WorkerSettings, worker: Worker, server: ProtocolServer): void {
  let draining = false
  const drain = () => {
    if (draining) return
    draining = true
    log('info', 'draining')
    setTimeout(() => process.exit(0), DRAIN_MS_MAX).unref()
    void worker
      .drain()
      .then(() => server.close())
      .finally(() => process.exit(0))
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

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
