/** A start that meets an outage of its event store. */
import { setTimeout as delay } from 'node:timers/promises'
import { noCrashPoints } from '@svc/contracts/crash-points'
import { START } from '@svc/contracts/ports/event-store'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { DataFolder } from '../data-folder/data-folder.ts'
import { OpenResources } from './open-resources.ts'
import { openStores } from './open-store.ts'

const AWAY_MS = 500
/** Each look asks a whole server. */
const SELDOM = { interval: 250 }

/** A store as a start opens it. It ends with the test. */
async function openOnDouble() {
  const double = await EventStoreDbDouble.start()
  const logger = pino({ level: 'silent' })
  const parts = new OpenResources(logger)
  onTestFinished(async () => {
    await parts.close()
    await double.close()
  })
  const { url } = double
  const opened = await openStores(
    {
      place: { kind: 'eventstoredb', url, streamPrefix: 'svc.', readyWithinMs: 30_000 },
      folder: new DataFolder(temporaryFolder()),
      reach: noCrashPoints,
      logger,
      onFatal: () => {},
      checkWrites: true,
      isStarting: true,
    },
    parts,
  )
  return { double, ...opened }
}

test('a start whose store dies in the middle waits for it; afterwards who asks is told at once', async () => {
  const { double, store, started } = await openOnDouble()
  await double.kill()
  const asked = Promise.all([store.lastPosition(), store.readAll({ after: START, limit: 1 })])
  asked.catch(() => {})
  // Time enough for a call that does not wait to fail.
  await delay(AWAY_MS)
  await double.restart()
  expect(await asked).toEqual([START, []])

  started?.()
  await double.kill()
  await expect(store.lastPosition()).rejects.toThrow('cannot be read')
})

test('a server that subscribes to nothing is told that its log is moved away', async () => {
  const { double, store, started } = await openOnDouble()
  started?.()
  const event = { type: 'MigrationMarked', data: '{"id":"one","state":"leaving"}' }
  double.writeForeign('migration-svc.log', event)
  const asked = () => store.lastPosition().then(String, String)
  await expect.poll(asked, SELDOM).toContain('is being moved to a file')
})
