/**
 * While an image is made: starts the server once and asks it for its pages, so that they are built
 * and Node keeps what it compiled. Nothing of it is left but the cache.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pause } from '@svc/contracts/ports/time'
import { systemTimer } from '../system/system-timer.ts'

const DATA_DIR = '/tmp/warm-up'
const PAGES_WITHIN_MS = 120_000
const AGAIN_MS = 500

const server = spawn(
  process.execPath,
  ['services/cli/bin/svc.js', 'start', '--json', '--port', '0', '--data-dir', DATA_DIR],
  { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, SVC_HOST: '127.0.0.1' } },
)
const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
const { baseUrl } = JSON.parse(line) as { baseUrl: string }
const untilMs = performance.now() + PAGES_WITHIN_MS
while (!(await fetch(`${baseUrl}/dashboard/`)).ok) {
  if (performance.now() > untilMs) throw new Error('the pages of the dashboard were not built')
  await pause(systemTimer, AGAIN_MS)
}
server.kill('SIGTERM')
const [code] = (await once(server, 'exit')) as [number | null]
rmSync(DATA_DIR, { recursive: true, force: true })
process.exitCode = code ?? 1
