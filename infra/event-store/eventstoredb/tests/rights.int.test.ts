/** What the server lets our user do, and how large an append it takes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { NO_STREAM, START, StoreUnavailableError } from '@svc/contracts/ports/event-store'
import { runProgram } from '@svc/testing/child-process'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { makeSelfSignedCertificate } from '@svc/testing/self-signed-certificate'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fillStream, newEvents } from '../../compliance/fixtures.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'
import { PREFIX, withStore } from '../testing/store-on-double.ts'

const SCRIPT = new URL('../../../compose/eventstoredb-group.ts', import.meta.url)
const ALTER_STREAM = new URL(
  '../../../../tests/support/eventstoredb/alter-stream.ts',
  import.meta.url,
)
const stream = 'account-1'
const GROUP = ['$admins', 'sellers']
/** Above the time in which a client notices that its connection was reset. */
const CONNECTION_IS_MISSED_MS = 500

/** A double on which `svc` is a member of `sellers` and of nothing else. */
async function startWithGroup() {
  const tls = makeSelfSignedCertificate()
  const authority = join(temporaryFolder(), 'ca.crt')
  writeFileSync(authority, tls.certificate)
  const double = await EventStoreDbDouble.start({
    tls,
    credentials: { username: 'admin', password: 'changeit' },
    limitedUsers: [{ username: 'svc', password: 's3cret', groups: ['sellers'] }],
  })
  onTestFinished(() => double.close())
  double.setStreamMetadata('$all', { $acl: { $r: GROUP } })
  const options = `tls=true&tlsCAFile=${encodeURIComponent(authority)}`
  const letWrite = (mayWrite: boolean) =>
    double.setDefaultAcl({
      $userStreamAcl: {
        $r: GROUP,
        $w: mayWrite ? GROUP : '$admins',
        $d: '$admins',
        $mr: '$admins',
        $mw: '$admins',
      },
    })
  return { double, letWrite, url: `esdb://svc:s3cret@localhost:${double.port}?${options}` }
}

test('a user of a group that may read and write is enough', async () => {
  const { letWrite, url } = await startWithGroup()
  letWrite(true)
  const store = await openEventStoreDb({ url, streamPrefix: PREFIX, checkWrites: true })
  await fillStream(store, stream, 2)
  await store.close()
})

test('the script that is documented gives a group these rights, and no others', async () => {
  const { double, url } = await startWithGroup()
  double.setStreamMetadata('$all', {})
  await expect(openEventStoreDb({ url })).rejects.toMatchObject({ code: 'access-denied' })
  const program = runProgram(SCRIPT, [url.replace('svc:s3cret', 'admin:changeit'), 'sellers'])
  expect(await program.ended).toBe(0)
  const store = await openEventStoreDb({ url, checkWrites: true })
  onTestFinished(() => store.close())
  await fillStream(store, stream, 2)
  const deletion = runProgram(ALTER_STREAM, [url, `svc.${stream}`, 'delete'])
  expect(await deletion.ended).not.toBe(0)
  expect(await store.readStream({ stream, direction: 'forwards', limit: 5 })).toHaveLength(2)
})

test('who may not give rights, or cannot reach the server, is told so in one line', async () => {
  const { url } = await startWithGroup()
  const said = async (address: string) => {
    const program = runProgram(SCRIPT, [address, 'sellers'], {
      wrapper: ['sh', '-c', 'exec "$@" 2>&1', 'sh'],
    })
    return { code: await program.ended, lines: program.lines }
  }
  expect(await said(url)).toEqual({
    code: 1,
    lines: [expect.stringMatching(/^eventstoredb-group: .*Access Denied$/)],
  })
  expect(await said('esdb://admin:s3cret@node1:2113?tlsCAFile=/nowhere/ca.crt')).toEqual({
    code: 1,
    lines: [
      expect.stringMatching(
        /^eventstoredb-group: .* tlsCAFile cannot be read: \/nowhere\/ca\.crt$/,
      ),
    ],
  })
})

test('a user who may read and not write is refused by who has to write, and by nobody else', async () => {
  const { letWrite, url } = await startWithGroup()
  letWrite(false)
  await expect(openEventStoreDb({ url, checkWrites: true })).rejects.toMatchObject({
    code: 'access-denied',
    message: expect.stringMatching(/may read .*, and may not write: .* streams svc\.\*/),
  })
  const store = await openEventStoreDb({ url })
  expect(await store.readAll({ after: START, limit: 1 })).toEqual([])
  await store.close()
})

test('a right to write that is taken away is told, and when it is there again', async () => {
  const { letWrite, url } = await startWithGroup()
  letWrite(true)
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message) }
  const store = await openEventStoreDb({ url, logger, watchTimes: { everyMs: 50 } })
  onTestFinished(() => store.close())
  store.subscribe({ after: START, batchSize: 1, signal: AbortSignal.abort() })
  const head = await fillStream(store, stream, 2)
  letWrite(false)
  const append = { stream, expected: head, events: newEvents(1) }
  await expect(store.append(append)).rejects.toThrow(/does not let our user write/)
  const takesNothing = [{ notReady: 'the event log takes nothing of ours' }]
  await expect.poll(() => store.troubles()).toMatchObject(takesNothing)
  letWrite(true)
  await expect.poll(() => store.troubles()).toEqual([])
  expect(await store.append(append)).toMatchObject({ kind: 'appended' })
  expect(warnings).toEqual([
    'event store does not let our user write',
    'event store lets our user write again',
  ])
})

test('a password that is right again counts with the next append', async () => {
  const { double, letWrite, url } = await startWithGroup()
  letWrite(true)
  const right = { username: 'admin', password: 'changeit' }
  const store = await openEventStoreDb({ url: url.replace('svc:s3cret', 'admin:changeit') })
  onTestFinished(() => store.close())
  const expected = await fillStream(store, stream, 2)
  double.setCredentials({ ...right, password: 'another' })
  // A minute on: the next append opens another call, at which the server looks at the user.
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_001)
  onTestFinished(() => clock.mockRestore())
  const append = { stream, expected, events: newEvents(1) }
  await expect(store.append(append)).rejects.toThrow(/does not let our user write/)
  double.setCredentials(right)
  expect(await store.append(append)).toMatchObject({ kind: 'appended' })
})

test('a password that is right again counts ten seconds later when the library encodes', async () => {
  const { double, letWrite, url } = await startWithGroup()
  letWrite(true)
  const right = { username: 'admin', password: 'changeit' }
  const asLibrary = `${url.replace('svc:s3cret', 'admin:changeit')}&encoding=library`
  const store = await openEventStoreDb({ url: asLibrary })
  onTestFinished(() => store.close())
  const expected = await fillStream(store, stream, 2)
  double.setCredentials({ ...right, password: 'another' })
  // The library opens another call only when the connection of the one that it has is gone.
  await double.kill()
  await double.restart()
  await delay(CONNECTION_IS_MISSED_MS)
  const append = { stream, expected, events: newEvents(1) }
  await expect(store.append(append)).rejects.toThrow(/does not let our user write/)
  double.setCredentials(right)
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000)
  onTestFinished(() => clock.mockRestore())
  expect(await store.append(append)).toMatchObject({ kind: 'appended' })
})

test('a stream that alone is denied costs the others no connection', async () => {
  const { double, letWrite, url } = await startWithGroup()
  letWrite(true)
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message) }
  const store = await openEventStoreDb({ url: `${url}&encoding=library`, logger })
  onTestFinished(() => store.close())
  const expected = await fillStream(store, stream, 2)
  const other = await fillStream(store, 'account-2', 1)
  double.setStreamMetadata(`svc.${stream}`, { $acl: { $w: '$admins' } })
  const denied = () => store.append({ stream, expected, events: newEvents(1) })
  await expect(denied()).rejects.toThrow(/does not let our user write/)
  const append = { stream: 'account-2', expected: other, events: newEvents(1) }
  expect(await store.append(append)).toMatchObject({ kind: 'appended' })
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000)
  onTestFinished(() => clock.mockRestore())
  await expect(denied()).rejects.toThrow(/does not let our user write/)
  expect(await store.append(append)).toMatchObject({ kind: 'duplicate' })
  expect(warnings).not.toContain('reconnecting to the event store')
})

test('a stream that alone is denied is told once, and everything else is sold on', async () => {
  const { double, letWrite, url } = await startWithGroup()
  letWrite(true)
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message) }
  const store = await openEventStoreDb({ url, logger })
  onTestFinished(() => store.close())
  const expected = await fillStream(store, stream, 2)
  let other = await fillStream(store, 'account-2', 1)
  double.setStreamMetadata(`svc.${stream}`, { $acl: { $w: '$admins' } })
  const append = () => store.append({ stream, expected, events: newEvents(1) })
  const message = `the event store does not let our user write ${stream}, and others it does`
  for (let round = 0; round < 3; round += 1) {
    await expect(append()).rejects.toThrow(/does not let our user write/)
    await expect.poll(() => store.troubles()).toEqual([{ message }])
    other = await fillStream(store, 'account-2', 1, { from: other })
    expect(store.troubles()).toEqual([{ message }])
  }
  expect(warnings).toEqual(['event store does not let our user write the stream'])
  double.setStreamMetadata(`svc.${stream}`, {})
  expect(await append()).toMatchObject({ kind: 'appended' })
  expect(store.troubles()).toEqual([])
  expect(warnings.slice(1)).toEqual(['event store lets our user write the stream again'])
})

/** A store that asks every 50 ms, with a stream that alone is denied. */
async function startWithDenied() {
  const { double, letWrite, url } = await startWithGroup()
  letWrite(true)
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message) }
  const store = await openEventStoreDb({ url, logger, watchTimes: { everyMs: 50 } })
  onTestFinished(() => store.close())
  const expected = await fillStream(store, stream, 2)
  store.watch()
  double.setStreamMetadata(`svc.${stream}`, { $acl: { $w: '$admins' } })
  const append = store.append({ stream, expected, events: newEvents(1) })
  await expect(append).rejects.toThrow(/does not let our user write/)
  const said = (message: string) => expect.poll(() => warnings).toContain(message)
  await said('event store does not let our user write the stream')
  return { double, letWrite, store, said }
}

test('a stream that alone was denied is asked for until it can be written', async () => {
  const { double, said } = await startWithDenied()
  double.setStreamMetadata(`svc.${stream}`, {})
  await said('event store lets our user write the stream again')
})

test('a right that goes for all after one stream was denied is noticed without an append', async () => {
  const { letWrite, said } = await startWithDenied()
  letWrite(false)
  await said('event store does not let our user write')
  letWrite(true)
  await said('event store lets our user write again')
})

test('a stream that is denied and set aside is told once', async () => {
  const { store } = await startWithDenied()
  await store.readAll({ after: START, limit: 10 })
  expect(store.troubles()).toMatchObject([{ message: expect.stringMatching(/is set aside/) }])
})

test('a server that takes smaller appends only is refused, with its limit', () =>
  withStore({ double: { maxAppendBytes: 100_000 } }, async ({ double: { url }, store }) => {
    const said = /smaller appends .*100000 bytes.*--max-append-size/
    const refusal = { code: 'append-limit', message: expect.stringMatching(said) }
    await expect(openEventStoreDb({ url, checkWrites: true })).rejects.toMatchObject(refusal)
    const data = JSON.stringify({ text: 'x'.repeat(200_000) })
    const events = newEvents(1).map((event) => ({ ...event, data }))
    const append = store.append({ stream, expected: NO_STREAM, events })
    await expect(append).rejects.toThrow(StoreUnavailableError)
    await expect(append).rejects.toThrow(said)
  }))

test('looking whether it may be written writes nothing', () =>
  withStore({}, async ({ double }) => {
    const { eventsCommitted } = double.observed
    const store = await openEventStoreDb({ url: double.url, checkWrites: true })
    await store.close()
    expect(double.observed.eventsCommitted).toBe(eventsCommitted)
  }))
