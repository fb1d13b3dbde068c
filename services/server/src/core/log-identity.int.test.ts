/** A data folder is about one log: what was made from another one is not believed. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { temporaryFolder } from '@svc/testing/temporary-folder'

import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openGatewayLedger, rates } from '../../testing/gateway-ledger.ts'
import { DataFolder } from '../data-folder/data-folder.ts'
import { forgetServerLog, noteLog, recogniseLog, refuseServerLog } from './log-identity.ts'

/** Well above the five seconds in which a server may still find its log. */
const TEST_MS_MAX = 30_000
const quiet = pino({ level: 'silent' })
const place = {
  kind: 'eventstoredb',
  url: 'esdb://user:secret@db.example:2113?tls=true',
  streamPrefix: 'shop.',
  readyWithinMs: 0,
} as const
const noted = { server: 'db.example:2113', streamPrefix: 'shop.' }

function keptLog() {
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  return { lines, logger }
}

async function logWithPrice(): Promise<MemoryEventStore> {
  const store = new MemoryEventStore()
  await publishPrice(store)
  return store
}

async function publishPrice(store: MemoryEventStore): Promise<void> {
  const { ledger } = await openGatewayLedger(store)
  await ledger.pricing.publish({ model: 'svc-beta', rates })
}

/** A folder with views and a first run of some log. */
function usedFolder(): { folder: DataFolder; view: string } {
  const folder = new DataFolder(temporaryFolder())
  mkdirSync(folder.viewsFolder)
  const view = join(folder.viewsFolder, 'accounts-v1.db')
  writeFileSync(view, 'rows')
  folder.writeFirstRun({ accountId: 'acct_1', keyId: 'key_1' })
  return { folder, view }
}

test('the first event of the log is noted, and the same log is known again', async () => {
  const store = await logWithPrice()
  const { folder, view } = usedFolder()
  const { lines, logger } = keptLog()
  await recogniseLog(store, place, { folder, logger, otherLog: 'refuse' })
  await recogniseLog(store, place, { folder, logger, otherLog: 'refuse' })
  expect(folder.readLog()?.firstEvent).toMatch(/^[0-9a-f-]{36}$/)
  expect([existsSync(view), lines]).toEqual([true, []])
})

test('an empty log that gets its first event stays the same log', async () => {
  const store = new MemoryEventStore()
  const { folder, view } = usedFolder()
  await recogniseLog(store, place, { folder, logger: quiet, otherLog: 'refuse' })
  expect(folder.readLog()).toEqual({ firstEvent: null, ...noted })
  await publishPrice(store)
  await recogniseLog(store, place, { folder, logger: quiet, otherLog: 'refuse' })
  expect(existsSync(view)).toBe(true)
  expect(folder.readLog()?.firstEvent).toEqual(expect.any(String))
})

test.each([
  ['another log', logWithPrice],
  ['a log that was wiped', async () => new MemoryEventStore()],
])(
  '%s, once accepted: views and the first run of the old one are removed, and it says so',
  async (_, other) => {
    const { folder, view } = usedFolder()
    await noteLog(await logWithPrice(), place, folder)
    const old = folder.readLog()
    const { lines, logger } = keptLog()
    const store = await other()
    await recogniseLog(store, place, { folder, logger, otherLog: 'accept' })
    expect([existsSync(view), folder.readFirstRun()]).toEqual([false, undefined])
    expect(lines.join()).toContain('was used with another event log')
    expect(folder.readLog()).not.toEqual(old)
    await recogniseLog(store, place, { folder, logger, otherLog: 'accept' })
    expect(lines).toHaveLength(1)
  },
)

test.each([
  ['another server', logWithPrice, place, 'the server holds another ledger'],
  [
    'a wiped server',
    async () => new MemoryEventStore(),
    place,
    'the server holds no ledger, so it was wiped or is another one',
  ],
  [
    'a forgotten prefix',
    logWithPrice,
    { ...place, streamPrefix: 'svc.' },
    'SVC_EVENTSTORE_PREFIX is svc. and was shop.',
  ],
  [
    'another address',
    logWithPrice,
    { ...place, url: 'esdb://other.example:2113?tls=true' },
    'the address is other.example:2113 and was db.example:2113',
  ],
])(
  '%s is refused and changes nothing, and the message says what differs',
  async (...row) => {
    const [_, other, location, difference] = row
    const { folder, view } = usedFolder()
    await noteLog(await logWithPrice(), place, folder)
    const before = folder.readLog()
    const refused = recogniseLog(await other(), location, {
      folder,
      logger: quiet,
      otherLog: 'refuse',
    })
    const message = await refused.then(String, ({ message }: Error) => message)
    expect(message).toContain(difference)
    expect(message).toContain('--accept-new-store')
    expect(message).not.toContain('secret')
    expect([existsSync(view), folder.readLog()]).toEqual([true, before])
    expect(folder.readFirstRun()).toBeDefined()
  },
  TEST_MS_MAX,
)

test('a folder of a server does not go to a file by a forgotten address', async () => {
  const { folder, view } = usedFolder()
  await noteLog(await logWithPrice(), place, folder)
  const back = () => refuseServerLog({ folder, otherLog: 'refuse' })
  expect(back).toThrow(/EventStoreDB at db\.example:2113 \(streams shop\.\*\), and EVENTSTORE_URL/)
  expect(existsSync(view)).toBe(true)
})

test('a folder that had a file goes to a server and back', async () => {
  const { folder, view } = usedFolder()
  writeFileSync(folder.ledgerFile, '')
  await recogniseLog(await logWithPrice(), place, { folder, logger: quiet, otherLog: 'accept' })
  expect([existsSync(view), folder.readFirstRun()]).toEqual([false, undefined])

  folder.writeFirstRun({ accountId: 'acct_2', keyId: 'key_2' })
  const { lines, logger } = keptLog()
  forgetServerLog({ folder, logger })
  expect(lines.join()).toContain('EVENTSTORE_URL is not set')
  expect([folder.readLog(), folder.readFirstRun()]).toEqual([undefined, undefined])
  forgetServerLog({ folder, logger })
  expect(lines).toHaveLength(1)
})

test('the runs of a folder are noted, a bounded number of them', () => {
  const { folder } = usedFolder()
  for (let run = 1; run <= 150; run += 1) folder.noteRun(`gw_${run}`)
  expect(folder.readRuns()).toHaveLength(100)
  expect(folder.readRuns().at(-1)).toBe('gw_150')
})
