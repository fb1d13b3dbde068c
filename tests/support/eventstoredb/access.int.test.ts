/** Who may call the server, over what, and what older versions of it know. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts'
import { type DoubleOptions, EventStoreDbDouble } from './eventstoredb-double.ts'
import {
  AccessDeniedError,
  collect,
  EventStoreDBClient,
  failureOf,
  idsIn,
  MaxAppendSizeExceededError,
  NO_STREAM,
  newEvent,
  WrongExpectedVersionError,
  withDouble,
} from './raw-client.ts'
import { makeSelfSignedCertificate } from './self-signed-certificate.ts'

const noStream = { expectedRevision: NO_STREAM } as const

describe('over TLS', () => {
  const tls = makeSelfSignedCertificate()
  const credentials = { username: 'admin', password: 'change it' }
  let folder: TemporaryFolder
  let authority: string

  beforeAll(() => {
    folder = makeTemporaryFolder()
    authority = join(folder.path, 'ca.crt')
    writeFileSync(authority, tls.certificate)
  })
  afterAll(() => folder.remove())

  async function connected(
    options: DoubleOptions,
    userInfo: string,
    act: (client: EventStoreDBClient, double: EventStoreDbDouble) => Promise<void>,
  ): Promise<void> {
    const double = await EventStoreDbDouble.start({ tls, ...options })
    const url = double.url.replace('://', `://${userInfo}`)
    const client = EventStoreDBClient.connectionString(`${url}&tlsCAFile=${authority}`)
    try {
      await act(client, double)
    } finally {
      await client.dispose()
      await double.close()
    }
  }

  test('a client that knows the authority reads and appends', () =>
    connected({}, '', async (client) => {
      const event = newEvent()
      await client.appendToStream('s', event, noStream)
      expect(await idsIn(client, 's')).toEqual([event.id])
    }))

  test('a user of a group reads everything, and writes, and neither deletes nor shortens', async () => {
    const group = ['$admins', 'sellers']
    const limitedUsers = [{ username: 'svc', password: 'secret', groups: ['sellers'] }]
    const answerTo = (call: Promise<unknown>) =>
      call.then(
        () => 'allowed',
        (error: unknown) => (error instanceof AccessDeniedError ? 'denied' : error),
      )
    const ask = async (client: EventStoreDBClient) => ({
      all: await answerTo(collect(client.readAll({ maxCount: 1 }))),
      append: await answerTo(client.appendToStream('s', newEvent())),
      read: await answerTo(collect(client.readStream('s', { maxCount: 1 }))),
      shorten: await answerTo(client.setStreamMetadata('s', { maxCount: 1 })),
      delete: await answerTo(client.deleteStream('s')),
    })
    await connected({ credentials, limitedUsers }, 'svc:secret@', async (client, double) => {
      expect(await ask(client)).toMatchObject({ all: 'denied', append: 'allowed' })
      double.setStreamMetadata('$all', { $acl: { $r: group } })
      const rest = { $d: '$admins', $mr: '$admins', $mw: '$admins' }
      double.setDefaultAcl({ $userStreamAcl: { $r: group, $w: group, ...rest } })
      double.setStreamMetadata('s', {})
      const may = { all: 'allowed', append: 'allowed', read: 'allowed' }
      expect(await ask(client)).toEqual({ ...may, shorten: 'denied', delete: 'denied' })
      double.setDefaultAcl({ $userStreamAcl: { $r: group, $w: '$admins', ...rest } })
      expect(await ask(client)).toMatchObject({ ...may, append: 'denied' })
    })
  })

  test('of an append the rights are looked at before the size, and the size before the revision', async () => {
    const limitedUsers = [{ username: 'svc', password: 'secret', groups: ['sellers'] }]
    const options = { credentials, limitedUsers, maxAppendBytes: 1_000 }
    await connected(options, 'svc:secret@', async (client, double) => {
      const committed = double.observed.eventsCommitted
      const nowhere = { expectedRevision: BigInt(Number.MAX_SAFE_INTEGER) }
      const answer = (size: number) =>
        failureOf(client.appendToStream('s', newEvent('x'.repeat(size)), nowhere))
      expect(await answer(2_000)).toBeInstanceOf(MaxAppendSizeExceededError)
      expect(await answer(10)).toBeInstanceOf(WrongExpectedVersionError)
      expect(double.observed.eventsCommitted).toBe(committed)
      double.setDefaultAcl({ $userStreamAcl: { $w: '$admins' } })
      expect(await answer(2_000)).toBeInstanceOf(AccessDeniedError)
    })
  })

  test('a client that does not know the authority is unavailable, code 14', () =>
    withDouble({ tls }, async ({ client }) => {
      const error = await failureOf(client.appendToStream('s', newEvent(), noStream))
      expect(error).toMatchObject({ code: 14 })
    }))

  test('the right credentials let a client in, with both calls that append', () =>
    connected({ credentials }, 'admin:change%20it@', async (client) => {
      await client.appendToStream('s', newEvent(), noStream)
      await client.appendToStream('s', newEvent(), { expectedRevision: 0n, credentials })
      expect(await idsIn(client, 's')).toHaveLength(2)
    }))

  test.each([
    ['no credentials', '', 7],
    ['a wrong password', 'admin:wrong@', 16],
  ])('%s are denied access', (_what, userInfo, code) =>
    connected({ credentials }, userInfo, async (client) => {
      const appending = await failureOf(client.appendToStream('s', newEvent(), noStream))
      expect(appending).toBeInstanceOf(AccessDeniedError)
      expect(appending).toMatchObject({ message: '' })
      const reading = await failureOf(collect(client.readAll()))
      expect(reading).toBeInstanceOf(AccessDeniedError)
      expect(reading).toMatchObject({ code })
    }),
  )
})

test('without TLS a client does not send its credentials, and is denied access', () =>
  withDouble({ credentials: { username: 'admin', password: 'x' } }, async ({ client }) => {
    const options = { ...noStream, credentials: { username: 'admin', password: 'x' } }
    const error = await failureOf(client.appendToStream('s', newEvent(), options))
    expect(error).toBeInstanceOf(AccessDeniedError)
  }))

test('a version without server features is appended to with the classic call', () =>
  withDouble({ version: '21.6.0' }, async ({ client, double }) => {
    const event = newEvent()
    await client.appendToStream('s', event, noStream)
    expect(double.observed.openCalls).toEqual([])
    expect(await idsIn(client, 's')).toEqual([event.id])
  }))

test('a version with them is appended to with one call for all appends', () =>
  withDouble({}, async ({ client, double }) => {
    await client.appendToStream('s', newEvent(), noStream)
    await client.appendToStream('t', newEvent(), noStream)
    expect(double.observed.openCalls).toEqual(['/event_store.client.streams.Streams/BatchAppend'])
  }))
