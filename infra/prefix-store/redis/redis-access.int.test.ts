/** The ways to a Redis: sockets, TLS, users, databases; and what is said when there is no way. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { PrefixIndex } from '@svc/contracts/ports/prefix-index'
import type { PrefixStore } from '@svc/contracts/ports/prefix-store'
import { freePort } from '@svc/testing/free-port'
import { describeOnRedisProcess } from '@svc/testing/redis/describe-on-redis'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { makeSelfSignedCertificate } from '@svc/testing/self-signed-certificate'
import { makeTemporaryFolder, type TemporaryFolder } from '@svc/testing/temporary-folder'
import { until } from '@svc/testing/until'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { StoreOpenError } from '../../store-open-error.ts'
import { makeChain, namesOf, newName, plain } from '../testing/chains.ts'
import { connectedStore, redisStore, storeAnswers } from '../testing/redis-under-test.ts'
import { openRedisPrefixIndex } from './redis-prefix-index.ts'
import { openRedisPrefixStore } from './redis-prefix-store.ts'

const identity = makeSelfSignedCertificate()
const opened: (PrefixStore | PrefixIndex)[] = []
const problems: (string | null)[] = []
const onProblem = (problem: string | null): void => void problems.push(problem)

/** The user has all commands that a store and an index send, and none that is dangerous. */
const rightsOfStore = 'strlen getex set unlink incrby decrby pexpire scan eval get del'
const rightsOfIndex = 'zadd zremrangebyscore zremrangebyrank zrangebyscore pexpire unlink'
const rights = `${rightsOfStore} ${rightsOfIndex}`.split(' ').map((command) => `+${command}`)

let folder: TemporaryFolder
let server: RedisServer
let tlsPort = 0
let socketPath = ''

async function startServer(): Promise<void> {
  folder = makeTemporaryFolder()
  tlsPort = await freePort()
  socketPath = join(folder.path, 'redis.sock')
  const [certificate, key] = [join(folder.path, 'certificate.pem'), join(folder.path, 'key.pem')]
  writeFileSync(certificate, identity.certificate)
  writeFileSync(key, identity.key)
  server = await startRedisServer({
    settings: [
      ...['--unixsocket', socketPath],
      ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
      ...['--user', 'svc', 'on', '>hunter2', '~svc.*', ...rights],
      ...['--user', 'nobody', 'on', '>hunter3'],
    ],
  })
}

async function expectStoreWorks(url: string): Promise<void> {
  const store = await connectedStore(url, { keyPrefix: 'svc.', onProblem })
  opened.push(store)
  const before = store.usage()
  const chain = makeChain({ blocks: 3 })
  await store.put('acct_1', chain)
  expect(plain(await store.get(namesOf(chain)))).toEqual(plain(chain))
  expect(await store.sample(1)).toHaveLength(1)
  const claim = await store.claim(chain[0]?.name ?? '', 10_000)
  await claim?.release()
  expect(await store.claim(chain[0]?.name ?? '', 10_000)).not.toBeNull()
  await store.remove(chain[0]?.name ?? '')
  expect(await store.has(namesOf(chain))).toBe(0)
  expect(store.usage().failures).toBe(before.failures)
  expect(problems.at(-1) ?? null).toBeNull()
}

async function expectProblem(url: string, problem: RegExp): Promise<void> {
  const store = redisStore(url, { onProblem })
  opened.push(store)
  await until(async () => {
    await store.has([newName()])
    return problems.some((told) => told !== null)
  })
  const told = problems.filter((text) => text !== null)
  expect(told.at(-1)).toMatch(problem)
  expect(told.join()).not.toContain('hunter')
  expect(store.usage().failures).toBeGreaterThan(0)
}

describeOnRedisProcess('a prefix store on Redis', () => {
  beforeAll(startServer)
  afterAll(async () => {
    await server.close()
    folder.remove()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()))
    problems.length = 0
  })

  const withUser = (url: string, user: string) => url.replace('://', `://${user}@`)

  test('is reached over TCP', () => expectStoreWorks(server.url))
  test('is reached over a unix socket', async () => {
    await expectStoreWorks(socketPath)
    await expectStoreWorks(`unix://svc:hunter2@${socketPath}`)
  })

  test('needs no rights beyond those for its commands', async () => {
    const url = withUser(server.url, 'svc:hunter2')
    await expectStoreWorks(url)
    const index = openRedisPrefixIndex({ url, keyPrefix: 'svc.', onProblem })
    opened.push(index)
    const prompt = [newName(), newName()]
    await until(async () => {
      await index.note('worker-a', prompt)
      return (await index.find(prompt)).length === 1
    })
    expect(problems.at(-1) ?? null).toBeNull()
  })

  test('uses the database that is named', async () => {
    await expectStoreWorks(`${server.url}/3`)
    await server.flush()
    const store = await connectedStore(`${server.url}/3`)
    opened.push(store)
    await store.put('acct_1', makeChain({ blocks: 1 }))
    expect(await server.command('DBSIZE')).toBe(0)
    expect(String(await server.command('INFO', 'keyspace'))).toContain('db3:keys=2')
  })

  test('is reached over TLS, when the certificate is trusted', async () => {
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, identity.certificate])
    try {
      await expectStoreWorks(`rediss://localhost:${tlsPort}`)
    } finally {
      setDefaultCACertificates(trusted)
    }
  })

  test('is not used over TLS, when nobody vouches for the certificate', async () => {
    await expectProblem(`rediss://localhost:${tlsPort}`, /cannot be used: .*SELF_SIGNED_CERT/)
  })

  test('is not used with a wrong password, and does not tell it', async () => {
    const url = withUser(server.url, 'svc:hunter4')
    await expectProblem(url, /^Redis at 127\.0\.0\.1:\d+ cannot be used: WRONGPASS$/)
  })

  test('is not used by who may do nothing there', async () => {
    await expectProblem(withUser(server.url, 'nobody:hunter3'), / refuses: NOPERM$/)
  })

  test('comes into use when the password is set right', async () => {
    await expectProblem(withUser(server.url, 'late:hunter5'), /WRONGPASS$/)
    await server.command('ACL', 'SETUSER', 'late', 'on', '>hunter5', '~*', '+@all')
    const [store] = opened as [PrefixStore]
    await storeAnswers(store)
    expect(problems.at(-1)).toBeNull()
  })

  test('is not used where a cluster is meant', async () => {
    const cluster = await startRedisServer({ settings: ['--cluster-enabled', 'yes'] })
    try {
      await expectProblem(cluster.url, / refuses: CLUSTERDOWN$/)
    } finally {
      await cluster.close()
    }
  })

  test('is not opened at an address that makes no sense, which is not repeated', () => {
    const options = { keyPrefix: 'svc.', fingerprint: '', secret: '', onProblem }
    const url = 'redis://:hunter2@'
    expect(() => openRedisPrefixStore({ ...options, url })).toThrow(StoreOpenError)
    expect(() => openRedisPrefixIndex({ ...options, url })).toThrow(/^(?!.*hunter2)/)
  })
})
