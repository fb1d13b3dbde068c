/** What an operator meets when the user of the event store may do too little: on the double. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { svc } from '@svc/testing/run-svc'
import { startRunningServer } from '@svc/testing/running-server'
import { ScriptedWorker } from '@svc/testing/scripted-worker'
import { makeSelfSignedCertificate } from '@svc/testing/self-signed-certificate'
import { ServerProcess } from '@svc/testing/server-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { expectToldOfStoreAway } from './server-story.ts'

const EXIT_NOT_ALLOWED = 4
/** Each look asks a whole server. */
const SELDOM = { interval: 250 }
const READERS = ['$admins', 'readers']
const admin = { username: 'admin', password: 'changeit' }

async function start() {
  const folder = temporaryFolder()
  const tls = makeSelfSignedCertificate()
  const authority = join(folder, 'ca.crt')
  writeFileSync(authority, tls.certificate)
  const limitedUsers = [{ username: 'reader', password: 's3cret', groups: ['readers'] }]
  const double = await EventStoreDbDouble.start({ tls, credentials: admin, limitedUsers })
  const worker = new ScriptedWorker({ socketPath: join(folder, 'worker.sock') }, false)
  await worker.listen()
  onTestFinished(async () => {
    await worker.close()
    await double.close()
  })
  const options = `tls=true&tlsCAFile=${encodeURIComponent(authority)}`
  const environmentOf = (user: string) => ({
    EVENTSTORE_URL: `esdb://${user}@localhost:${double.port}?${options}`,
    SVC_WORKER_URLS: `unix:${join(folder, 'worker.sock')}`,
  })
  return { double, environmentOf, dataDir: join(folder, 'data') }
}

test('a first start by a user who may not write says so, and makes no folder', async () => {
  const { double, environmentOf, dataDir } = await start()
  double.setStreamMetadata('$all', { $acl: { $r: READERS } })
  double.setDefaultAcl({ $userStreamAcl: { $r: READERS, $w: '$admins' } })
  const server = new ServerProcess(dataDir, environmentOf('reader:s3cret'))
  onTestFinished(() => server.kill('SIGKILL'))
  expect(await server.exited).toEqual({ code: EXIT_NOT_ALLOWED, signal: null })
  expect(server.stderr).toContain('may not write')
  expect(existsSync(dataDir)).toBe(false)
})

test('when the password was changed an operator is told so, and status shows the rest', async () => {
  const { double, environmentOf, dataDir } = await start()
  const server = await startRunningServer(environmentOf('admin:changeit'), dataDir)
  const { accountId } = server.ready
  const status = async () => (await svc(['status', '--data-dir', dataDir])).out
  await expect.poll(status, SELDOM).toMatch(/accounts +1/)
  double.setCredentials({ username: 'admin', password: 'another' })
  await expectToldOfStoreAway(dataDir, accountId)
  const ready = async () => {
    const answer = await fetch(`${server.ready.baseUrl}/readyz`)
    return [answer.status, await answer.text()]
  }
  await expect
    .poll(ready, SELDOM)
    .toEqual([503, expect.stringContaining('the event log refuses us')])
})

test('a server that cannot be used is told before the model is loaded', async () => {
  const { environmentOf, dataDir } = await start()
  const model = join(temporaryFolder(), 'model.gguf')
  writeFileSync(model, 'no model')
  const { EVENTSTORE_URL } = environmentOf('admin:wrong')
  const server = new ServerProcess(dataDir, { EVENTSTORE_URL, SVC_MODEL: model })
  onTestFinished(() => server.kill('SIGKILL'))
  expect(await server.exited).toEqual({ code: EXIT_NOT_ALLOWED, signal: null })
  expect(server.stderr).toContain('check name and password')
})
