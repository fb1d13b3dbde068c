/** What a store notices of its server while it runs: the user, and the clock. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { START } from '@svc/contracts/ports/event-store'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { makeSelfSignedCertificate } from '@svc/testing/self-signed-certificate'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fillStream, newEvents } from '../../compliance/fixtures.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'
import { withStore } from '../testing/store-on-double.ts'

const stream = 'account-1'
const watchTimes = { everyMs: 50 }
const refused = {
  message: expect.stringContaining('put the new one into EVENTSTORE_URL'),
  notReady: 'the event log refuses us',
}

/** The server looks at the user of appends when a call is opened: each is a minute old now. */
function closeCallsOfAppends(): void {
  const nowMs = performance.now.bind(performance)
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + 61_000)
  onTestFinished(() => spy.mockRestore())
}

async function storeOfUser() {
  const tls = makeSelfSignedCertificate()
  const authority = join(temporaryFolder(), 'ca.crt')
  writeFileSync(authority, tls.certificate)
  const credentials = { username: 'svc', password: 'old' }
  const double = await EventStoreDbDouble.start({ tls, credentials })
  const options = `tls=true&tlsCAFile=${encodeURIComponent(authority)}`
  const url = `esdb://svc:old@localhost:${double.port}?${options}`
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message) }
  const store = await openEventStoreDb({ url, watchTimes, logger })
  onTestFinished(async () => {
    await store.close()
    await double.close()
  })
  return { double, store, credentials, warnings }
}

test('a password that was changed is told while appends still go on', async () => {
  const { double, store, credentials } = await storeOfUser()
  store.subscribe({ after: START, batchSize: 1, signal: AbortSignal.abort() })
  const head = await fillStream(store, stream, 2)
  double.setCredentials({ username: 'svc', password: 'new' })
  await expect.poll(() => store.troubles()).toEqual([refused])
  const append = { stream, expected: head, events: newEvents(1) }
  expect(await store.append(append)).toMatchObject({ kind: 'appended' })
  double.setCredentials(credentials)
  await expect.poll(() => store.troubles()).toEqual([])
})

test.each(['after', 'before'])(
  'a user who is refused is told once, when a look finds out %s an append',
  async (order) => {
    const { double, store, credentials, warnings } = await storeOfUser()
    const head = await fillStream(store, stream, 2)
    double.setCredentials({ username: 'svc', password: 'new' })
    const watch = async () => {
      store.watch()
      await expect.poll(() => store.troubles()).toContainEqual(refused)
    }
    if (order === 'before') await watch()
    closeCallsOfAppends()
    const append = { stream, expected: head, events: newEvents(1) }
    await expect(store.append(append)).rejects.toThrow()
    if (order === 'after') await watch()
    expect(store.troubles()).toEqual([refused])
    double.setCredentials(credentials)
    await expect.poll(() => store.troubles()).toEqual([])
    expect(warnings).toContain('event store takes our user again')
  },
)

test('an authority that was replaced, with its file, is trusted after the next reconnect', async () => {
  const authority = join(temporaryFolder(), 'ca.crt')
  const [before, after] = [makeSelfSignedCertificate(), makeSelfSignedCertificate()]
  writeFileSync(authority, before.certificate)
  const double = await EventStoreDbDouble.start({ tls: before })
  const url = `esdb://localhost:${double.port}?tlsCAFile=${encodeURIComponent(authority)}`
  const store = await openEventStoreDb({ url })
  onTestFinished(async () => {
    await store.close()
    await double.close()
  })
  const expected = await fillStream(store, stream, 2)
  await double.kill()
  double.setIdentity(after)
  await double.restart()
  const said = () => store.lastPosition().catch(String)
  await expect.poll(said).toContain('certificate')
  writeFileSync(authority, after.certificate)
  const events = newEvents(1)
  const append = () => store.append({ stream, expected, events }).catch((error: unknown) => error)
  await expect.poll(append).toMatchObject({ kind: 'appended' })
})

test.each([
  [60_000, 'the clock of the event store is 60 s ahead of ours: set both by NTP'],
  [-8_000, 'the clock of the event store is 8 s behind ours: set both by NTP'],
])('a clock that differs by %d ms is told, and agrees again', async (clockAheadMs, message) =>
  withStore({ watchTimes }, async ({ double, store, warnings }) => {
    store.subscribe({ after: START, batchSize: 1, signal: AbortSignal.abort() })
    double.faults.clockAheadMs = clockAheadMs
    const head = await fillStream(store, stream, 1)
    await expect.poll(() => store.troubles()).toEqual([{ message }])
    expect(warnings).toContain('clock of the event store differs from ours')
    double.faults.clockAheadMs = 0
    await fillStream(store, stream, 1, { from: head })
    await expect.poll(() => store.troubles()).toEqual([])
  }),
)
