/** Which servers are opened and which are refused, with what is said, and how long it may take. */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DamagedStreamError } from '@svc/contracts/ports/event-store'
import { type DoubleOptions, EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { freePort } from '@svc/testing/free-port'
import { makeSelfSignedCertificate } from '@svc/testing/self-signed-certificate'
import { makeTemporaryFolder, type TemporaryFolder } from '@svc/testing/temporary-folder'
import { until } from '@svc/testing/until'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StoreOpenCode, StoreOpenError } from '../../../store-open-error.ts'
import { fillStream } from '../../compliance/fixtures.ts'
import { type EventStoreDbOptions, openEventStoreDb } from '../open-eventstoredb.ts'
import { PREFIX } from '../testing/store-on-double.ts'

const READY_WITHIN_MS = 600

async function refusalOf(options: EventStoreDbOptions): Promise<StoreOpenError> {
  const opening = openEventStoreDb({
    streamPrefix: PREFIX,
    readyWithinMs: READY_WITHIN_MS,
    ...options,
  })
  try {
    await (await opening).close()
  } catch (error) {
    if (error instanceof StoreOpenError) return error
    throw error
  }
  throw new Error('it was opened')
}

async function expectRefusal(
  options: EventStoreDbOptions,
  code: StoreOpenCode,
  message: RegExp,
): Promise<void> {
  const refusal = await refusalOf(options)
  expect(refusal.message).toMatch(message)
  expect(refusal.code).toBe(code)
  expect(refusal.message).not.toMatch(/\n|s3cret/)
}

async function withDouble(
  options: DoubleOptions,
  act: (double: EventStoreDbDouble) => Promise<void>,
): Promise<void> {
  const double = await EventStoreDbDouble.start(options)
  try {
    await act(double)
    await until(() => double.observed.openCalls.length === 0)
  } finally {
    double.thaw()
    await double.close()
  }
}

describe('an address', () => {
  test.each([
    ['http://localhost:2113', /esdb:\/\//],
    ['esdb://user:s3cret@more@host', /percent-encoded/],
    ['esdb://localhost?tls=maybe', /tls must be true or false/],
    ['esdb://127.0.0.1', /by its name/],
    ['esdb://localhost?tlsVerifyCert=false', /tlsCAFile=/],
    ['esdb://user:s3cret@localhost?tlsCAFile=missing.pem', /missing\.pem/],
  ])('%s is refused', (url, message) => expectRefusal({ url }, 'bad-address', message))

  test('with a prefix that is the system’s is refused', async () => {
    const options = { url: 'esdb://localhost', streamPrefix: '$svc' }
    await expectRefusal(options, 'bad-address', /prefix of the streams/)
  })
})

describe('a server', () => {
  test('that is not there is waited for, then said to be unreachable', async () => {
    const port = await freePort()
    const url = `esdb://user:s3cret@127.0.0.1:${port}?tls=false`
    const message = new RegExp(`127\\.0\\.0\\.1:${port} within 1 s .*ECONNREFUSED`)
    await expectRefusal({ url }, 'unreachable', message)
  })

  test('of a cluster that is down is unreachable, and is searched for no longer', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const url = `esdb://127.0.0.1:${await freePort()},127.0.0.1:${await freePort()}?tls=false`
    const message =
      /no node .*127\.0\.0\.1:\d+ does not answer \(.*ECONNREFUSED.*\); 127\.0\.0\.1:\d+/
    await expectRefusal({ url, readTimeoutMs: 200 }, 'unreachable', message)
    await until(() => timers() <= before)
  })

  test('of a cluster without a majority says so, by each node', () =>
    withDouble({}, async (double) => {
      const dead = [await freePort(), await freePort()].map((port) => ({ host: '127.0.0.1', port }))
      double.faults.deadNodes = dead
      const hosts = [double, ...dead].map(({ port }) => `127.0.0.1:${port}`)
      const options = { url: `esdb://${hosts}?tls=false`, readTimeoutMs: 200 }
      const { code, message } = await refusalOf(options)
      expect(code).toBe('not-ready')
      expect(message).toMatch(/has no majority of its nodes within 1 s: .*: start the others$/)
      expect(message).toContain(`${hosts[0]} sees 1 of 3 nodes and no leader; ${hosts[1]} does not`)
    }))

  test('that comes while it is waited for is opened', async () => {
    const port = await freePort()
    const url = `esdb://127.0.0.1:${port}?tls=false`
    const opening = openEventStoreDb({ url, streamPrefix: PREFIX, readyWithinMs: 20_000 })
    const double = await EventStoreDbDouble.start({ port, notReadyForMs: 300 })
    const store = await opening
    await fillStream(store, 'account-1', 1)
    await store.close()
    await double.close()
  })

  test('that does not get ready in time is refused', () =>
    withDouble({ notReadyForMs: 60_000 }, ({ url }) =>
      expectRefusal({ url }, 'not-ready', /not ready within 1 s/),
    ))

  test('that is frozen is given up in time', () =>
    withDouble({}, async (double) => {
      double.freeze()
      await expectRefusal({ url: double.url }, 'unreachable', /did not answer/)
      double.thaw()
    }))

  test('that is none: it speaks no HTTP/2', async () => {
    const server = createServer((socket) => socket.end('220 mail\r\n')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const url = `esdb://127.0.0.1:${port}?tls=false`
    await expectRefusal({ url }, 'unreachable', /no event store could be reached/)
    server.close()
  })

  test.each(['21.10.11', '22.6.1', '20.10.5'])('of version %s is refused', (version) =>
    withDouble({ version }, ({ url }) => expectRefusal({ url }, 'old-server', /22\.10 or newer/)),
  )

  test.each(['22.10.5', '23.10.8', '24.2.0'])('of version %s is opened', (version) =>
    withDouble({ version }, async ({ url }) => {
      const store = await openEventStoreDb({ url, streamPrefix: PREFIX })
      await fillStream(store, 'account-1', 2)
      await store.close()
    }),
  )
})

describe('a server with TLS', () => {
  const tls = makeSelfSignedCertificate()
  let folder: TemporaryFolder
  let authority = ''
  beforeAll(() => {
    folder = makeTemporaryFolder()
    authority = join(folder.path, 'ca.pem')
    writeFileSync(authority, tls.certificate)
  })
  afterAll(() => folder.remove())
  const credentials = { username: 'svc', password: 's3cret:%@' }
  const addressOf = ({ port }: EventStoreDbDouble, user: string) =>
    `esdb://${user}localhost:${port}?tls=true&tlsCAFile=${encodeURIComponent(authority)}`

  test('and a user is opened with the right password', () =>
    withDouble({ tls, credentials }, async (double) => {
      const url = addressOf(double, `svc:${encodeURIComponent(credentials.password)}@`)
      const store = await openEventStoreDb({ url, streamPrefix: PREFIX })
      await fillStream(store, 'account-1', 1)
      await store.close()
    }))

  test.each([
    ['a wrong password', 'svc:wrong@'],
    ['no password', ''],
  ])('refuses %s', (_what, user) =>
    withDouble({ tls, credentials }, (double) =>
      expectRefusal({ url: addressOf(double, user) }, 'access-denied', /check name and password/),
    ),
  )

  test('of an unknown authority is not trusted', () =>
    withDouble({ tls }, ({ port }) => {
      const url = `esdb://localhost:${port}?tls=true`
      return expectRefusal({ url }, 'untrusted-certificate', /tlsCAFile=FILE/)
    }))

  test.each([
    ['whose authority nobody names', 'tls=true', 'untrusted-certificate', /tlsCAFile=FILE/],
    ['asked without TLS', 'tls=false', 'unreachable', /and tls=$/],
  ] as const)('and several nodes, %s, says so by each node', (_what, option, code, said) =>
    withDouble({ tls }, ({ port: one }) =>
      withDouble({ tls }, async ({ port: other }) => {
        const url = `esdb://localhost:${one},localhost:${other}?${option}`
        const refusal = await refusalOf({ url, readTimeoutMs: 200 })
        expect(refusal.code).toBe(code)
        expect(refusal.message).toMatch(said)
        for (const port of [one, other]) expect(refusal.message).toContain(`localhost:${port} `)
      }),
    ),
  )

  test('and several nodes is asked of servers that have none', () =>
    withDouble({}, ({ port: one }) =>
      withDouble({}, ({ port: other }) => {
        const url = `esdb://localhost:${one},localhost:${other}?tls=true`
        return expectRefusal({ url, readTimeoutMs: 200 }, 'no-tls', /add tls=false/)
      }),
    ))

  test('is refused without tls, at once or when it does not answer', () =>
    withDouble({ tls }, ({ port }) => {
      const url = `esdb://127.0.0.1:${port}?tls=false`
      return expectRefusal({ url }, 'unreachable', /tls=/)
    }))

  test('is asked of a server that has none', () =>
    withDouble({}, ({ port }) => {
      const url = `esdb://localhost:${port}?tls=true`
      return expectRefusal({ url }, 'no-tls', /add tls=false/)
    }))
})

describe('a stream that the server was told to shorten or to hide', () => {
  const account = 'account-1'
  const stream = PREFIX + account

  /** Opens a store on the double. @returns what it says of the stream, and what it has warned of */
  async function opened({ url }: EventStoreDbDouble) {
    const warnings: object[] = []
    const logger = { warn: (fields: object) => void warnings.push(fields) }
    const store = await openEventStoreDb({ url, streamPrefix: PREFIX, logger })
    await fillStream(store, 'account-2', 2)
    const answer = await fillStream(store, account, 1).catch((error: unknown) => error)
    await store.close()
    return { answer, warnings }
  }

  test.each([{ $maxAge: 3600 }, { $maxCount: 10 }, { $tb: 5 }, { $acl: { $r: [] } }])(
    'is set aside at the start, and others are not: %o',
    (metadata) =>
      withDouble({}, async (double) => {
        double.setStreamMetadata(stream, metadata)
        const { answer, warnings } = await opened(double)
        const [key = ''] = Object.keys(metadata)
        expect(answer).toEqual(new DamagedStreamError(account, `its metadata has ${key}`))
        expect(warnings).toEqual([{ stream, reason: `its metadata has ${key}` }])
      }),
  )

  test('and then told not to, or about streams of others only, is used', () =>
    withDouble({}, async (double) => {
      double.setStreamMetadata(stream, { $maxAge: 3600 })
      double.setStreamMetadata(stream, { $cacheControl: 5 })
      double.setStreamMetadata('other.account-1', { $maxCount: 1 })
      expect(await opened(double)).toMatchObject({ answer: { revision: 0 }, warnings: [] })
    }))

  test('is found out also by a version that does not say where its log ends', () =>
    withDouble({ version: '22.10.5' }, async (double) => {
      double.setStreamMetadata(stream, { $maxAge: 3600 })
      expect((await opened(double)).answer).toBeInstanceOf(DamagedStreamError)
    }))
})
