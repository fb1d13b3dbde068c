/** Who reaches the operator's API: this machine, unless it is put elsewhere. */
import { join } from 'node:path'
import { svc } from '@svc/testing/run-svc'
import { ServerProcess } from '@svc/testing/server-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { expect, onTestFinished, test } from 'vitest'

async function start(environment: Readonly<Record<string, string>>) {
  const dataDir = join(temporaryFolder(), 'data')
  const server = new ServerProcess(dataDir, { ...(await withoutModel()), ...environment })
  onTestFinished(() => server.kill('SIGKILL'))
  const ready = (await server.ready()) as Awaited<ReturnType<typeof server.ready>> & {
    readonly adminUrl?: string
  }
  const token = (await svc(['--data-dir', dataDir, 'operator-token'])).out.trim()
  const status = async (base: string, path = '/admin/v1/status') => {
    const authorization = `Bearer ${token}`
    return (await fetch(base + path, { headers: { authorization } })).status
  }
  return { dataDir, ready, token, status }
}

const DISGUISED = ['/%61dmin/v1/status', '/admin/%761/status', '/adm%69n/v1/status']

test('on a loopback address it is where the customers are, under its plain name alone', async () => {
  const { ready, status } = await start({})
  expect(ready.adminUrl).toBeUndefined()
  expect(await status(ready.baseUrl)).toBe(200)
  for (const path of DISGUISED) expect(await status(ready.baseUrl, path), path).toBe(404)
})

test('with an address of its own it is there, and nowhere else', async () => {
  const { dataDir, ready, token, status } = await start({ SVC_ADMIN_ADDRESS: '127.0.0.1:0' })
  const { adminUrl = '' } = ready
  expect(adminUrl).not.toBe(ready.baseUrl)
  expect(await status(ready.baseUrl)).toBe(404)
  expect(await status(ready.baseUrl, '/admin/v1/metrics')).toBe(404)
  for (const path of DISGUISED) expect(await status(ready.baseUrl, path), path).toBe(404)
  expect(await status(adminUrl)).toBe(200)
  expect(await status(adminUrl, '/admin/v1/metrics')).toBe(200)
  expect(await status(adminUrl, '/v1/models')).toBe(404)
  expect((await svc(['--data-dir', dataDir, 'account', 'list'])).code).toBe(0)
  const remote = await svc(['--url', adminUrl, 'status'], {
    environment: { SVC_OPERATOR_TOKEN: token },
  })
  expect(remote.code, remote.err).toBe(0)
})
