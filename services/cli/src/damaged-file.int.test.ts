/** Files of the ledger that SQLite cannot read, and who tells of it. */
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { startServer } from '@svc/server/roles/all'
import { readSettings } from '@svc/server/settings/settings'
import { fillLog, folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { until } from '@svc/testing/until'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT_UNREACHABLE } from './context/exit-codes.ts'

const PAGE_BYTES = 4_096
const PAGE_HEAD_BYTES = 8
const GRACE_MS = 1_000
const EVENTS_BEHIND = 500

/**
 * Overwrites the head of a page of events in the middle of the log: an opening reads the last page,
 * and a start the first, and they find damage there by themselves.
 */
function damageMiddle(file: string): void {
  const bytes = readFileSync(file)
  const pages = Array.from({ length: bytes.length / PAGE_BYTES }, (_, page) => page * PAGE_BYTES)
  const ofEvents = pages.filter((at) =>
    bytes.subarray(at, at + PAGE_BYTES).includes('"correlationId":"filling"'),
  )
  const page = ofEvents[Math.trunc(ofEvents.length / 2)] ?? 0
  expect(page).toBeGreaterThan(0)
  bytes.fill(0xff, page, page + PAGE_HEAD_BYTES)
  writeFileSync(file, bytes)
}

async function folderWithDamage() {
  const { path } = await folderWithHistory()
  await fillLog(path, EVENTS_BEHIND)
  const file = join(path, 'ledger.db')
  damageMiddle(file)
  return { path, file }
}

const told = (file: string) => `${file} is damaged and cannot be read: stop svc and restore it`

test('svc verify names the damaged file, and ends as where a store cannot be opened', async () => {
  const { path, file } = await folderWithDamage()
  const { code, err, out } = await svc(['--data-dir', path, '--quiet', 'verify'])
  expect(err).toContain(told(file))
  expect([code, out]).toEqual([EXIT_UNREACHABLE, ''])
})

test('a running server that finds the damage is not ready, and says why', async () => {
  const { path, file } = await folderWithDamage()
  const worker = new ScriptedWorker({ socketPath: join(temporaryFolder(), 'worker.sock') })
  await worker.listen()
  const environment = {
    SVC_DATA_DIR: path,
    SVC_PORT: '0',
    SVC_WORKER_URLS: `unix:${worker.socketPath}`,
    SVC_DASHBOARD: 'off',
  }
  const server = await startServer(readSettings(environment), {
    logger: pino({ level: 'silent' }),
  })
  onTestFinished(async () => {
    await server.stop(GRACE_MS)
    await worker.close()
  })
  const url = server.ready.baseUrl
  let ready = ''
  await until(async () => {
    ready = await (await fetch(`${url}/readyz`)).text()
    return ready.includes('the event log is damaged')
  })
  const status = await svc(['--data-dir', path, '--quiet', 'status'])
  expect(status.out).toContain(told(file))
  const token = new DataFolder(path).readSecrets()?.operatorToken
  const metrics = await fetch(`${url}/admin/v1/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(await metrics.text()).toMatch(/^svc_event_log_healthy 0$/m)
  const verified = await svc(['--data-dir', path, '--quiet', 'verify'])
  expect(verified.err).toContain(told(file))
  expect(verified.code).toBe(EXIT_UNREACHABLE)
  const examined = await svc(['--data-dir', path, 'doctor'])
  expect(examined.out).toContain(told(file))
})

test('svc doctor names a ledger file whose end is gone', async () => {
  const { path } = await folderWithHistory()
  const file = join(path, 'ledger.db')
  truncateSync(file, statSync(file).size - PAGE_BYTES)
  const { out, code } = await svc(['--data-dir', path, 'doctor'], {
    environment: { SVC_PORT: '0' },
  })
  expect(out).toContain(`PROBLEM  ledger: ${file} is damaged: it is shorter than its first page`)
  expect(code).toBe(1)
})
