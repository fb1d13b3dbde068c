/** A model of one's own is not sold at the price of the toy, on a first start or a later one. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoModelPath } from '@svc/infra/demo-model/demo-model'
import { svc } from '@svc/testing/run-svc'
import { ServerProcess } from '@svc/testing/server-process'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'

/** The bundled weights in another file: a model that the server does not know. */
function ownModel(): string {
  const path = join(temporaryFolder(), 'my-model.gguf')
  copyFileSync(demoModelPath, path)
  return path
}

async function start(dataDir: string, model: string, settings: Record<string, string> = {}) {
  const server = new ServerProcess(dataDir, { SVC_MODEL: model, ...settings })
  onTestFinished(() => server.kill('SIGKILL'))
  const ready = await server.ready()
  const ask = async (key: string | undefined) => {
    const response = await fetch(`${ready.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'svc-beta',
        messages: [{ role: 'user', content: 'Hello!' }],
        max_tokens: 4,
      }),
    })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  return { server, ready, ask }
}

const publish = ['price', 'publish', '--input', '2', '--cached-input', '0.2', '--output', '8']

test('a first start says that there is no price, and sells when there is one', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const { server, ready, ask } = await start(dataDir, ownModel())
  expect(ready).toMatchObject({ unpricedModels: ['my-model'] })
  expect(server.stderr).toContain('svc price publish --input')

  const refused = await ask(ready.apiKey)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('x-should-retry')).toBe('false')
  expect(JSON.parse(refused.body).error).toMatchObject({
    code: 'model_not_priced',
    message: expect.stringMatching(/^No price is published .*: svc price publish --input/),
  })
  const status = await svc(['--data-dir', dataDir, 'status'])
  expect(status.out).toContain('No price is in force for my-model')
  expect(status.out).toContain('svc price publish --input')
  const prices = await svc(['--data-dir', dataDir, 'price', 'list'])
  expect(prices.out).toContain('svc-beta (bundled only)')

  const past = await svc(['--data-dir', dataDir, ...publish, '--from', '2026-01-01'])
  expect([past.code, past.out]).toEqual([2, ''])
  expect(past.err).toContain('2026-01-01T00:00:00.000Z is past')
  expect((await ask(ready.apiKey)).status).toBe(503)

  const announce = await svc(['--data-dir', dataDir, ...publish, '--from', '2999-01-01'])
  expect(announce.code).toBe(0)
  const before = JSON.parse((await ask(ready.apiKey)).body).error
  expect(before.code).toBe('model_not_priced')
  expect(before.message).toContain('has no price before 2999-01-01T00:00:00.000Z')
  const waiting = await svc(['--data-dir', dataDir, 'status'])
  expect(waiting.out).toContain('for my-model before 2999-01-01T00:00:00.000Z: until then')
  const page = await (await fetch(`${ready.baseUrl}/about`)).text()
  expect(page).toContain('until there is one. From 2999-01-01T00:00:00.000Z on: $2.00 input')

  expect((await svc(['--data-dir', dataDir, ...publish])).code).toBe(0)
  const served = await ask(ready.apiKey)
  expect(served.status).toBe(200)
  const receipt = await svc(['--data-dir', dataDir, '--json', 'explain', requestIdOf(served)])
  expect(JSON.parse(receipt.out).price).toMatchObject({ input: '2.00', output: '8.00' })
  const after = await svc(['--data-dir', dataDir, '--json', 'status'])
  expect(JSON.parse(after.out).unpriced_models).toEqual([])
  expect(await server.stop()).toEqual({ code: 0, signal: null })
})

test('a folder of the bundled model does not sell another at its price', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const demo = await start(dataDir, 'demo')
  const { apiKey } = demo.ready
  expect(demo.ready).not.toHaveProperty('unpricedModels')
  expect((await demo.ask(apiKey)).status).toBe(200)
  expect((await svc(['--data-dir', dataDir, ...publish, '--from', '2999-01-01'])).code).toBe(0)
  await demo.server.stop()

  const own = await start(dataDir, ownModel())
  const unpriced = { unpricedModels: ['my-model'], pricedFrom: '2999-01-01T00:00:00.000Z' }
  expect(own.ready).toMatchObject(unpriced)
  expect(JSON.parse((await own.ask(apiKey)).body).error.code).toBe('model_not_priced')
  await own.server.stop()

  const again = await start(dataDir, 'demo')
  expect((await again.ask(apiKey)).status).toBe(200)
  await again.server.stop()
})

test('a first start publishes the price that is set, and sells at it', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const { server, ready, ask } = await start(dataDir, ownModel(), {
    SVC_INIT_PRICE_INPUT: '2',
    SVC_INIT_PRICE_CACHED_INPUT: '0.2',
    SVC_INIT_PRICE_OUTPUT: '8',
  })
  expect(ready).not.toHaveProperty('unpricedModels')
  const prices = await (await fetch(`${ready.baseUrl}/v1/prices`)).json()
  const price = { input: '2.00', cached_input: '0.20', output: '8.00' }
  expect(prices).toMatchObject({ data: [{ model: 'svc-beta', price, next_price: null }] })
  expect((await ask(ready.apiKey)).status).toBe(200)
  await server.stop()
})

test('an empty first start makes no account, no key and no price', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const { server, ready, ask } = await start(dataDir, 'demo', { SVC_FIRST_RUN: 'empty' })
  expect(ready).not.toHaveProperty('apiKey')
  expect(ready).not.toHaveProperty('accountId')
  const run = async (...args: readonly string[]) =>
    JSON.parse((await svc(['--data-dir', dataDir, '--json', ...args])).out)
  expect(await run('account', 'list')).toMatchObject({ accounts: [] })
  expect(await run('price', 'list')).toMatchObject({ prices: [] })

  const { account_id: account } = await run('account', 'open', '--name', 'Ada')
  await run('account', 'grant', account, '1', '--reason', 'a payment')
  const { secret } = await run('key', 'create', account, '--name', 'laptop')
  expect(JSON.parse((await ask(secret)).body).error.code).toBe('model_not_priced')
  await run(...publish)
  expect((await ask(secret)).status).toBe(200)
  await server.stop()
})

function requestIdOf({ headers }: { readonly headers: Headers }): string {
  return headers.get('x-request-id') ?? ''
}
