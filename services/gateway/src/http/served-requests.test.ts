import fastify from 'fastify'
import { expect, test } from 'vitest'
import { noteServed } from './served-requests.ts'

test.each([
  ['/v1/chat/completions', 1],
  ['/v1/balance', 1],
  ['/dashboard/api/accounts/acct_1/usage', 1],
  ['/admin/v1/accounts', 0],
  ['/dashboard/api/admin/accounts?order=available', 0],
  ['/dashboard/operator/accounts', 0],
  ['/dashboard/assets/index-1a2b.js', 0],
  ['/dashboard/api/session', 0],
  ['/dashboard/api/sign-in', 1],
])('long work waits for %s: %i', async (url, expected) => {
  let entered = 0
  let left = 0
  const app = fastify()
  app.addHook(
    'onRequest',
    noteServed({
      enter: () => {
        entered += 1
        return () => {
          left += 1
        }
      },
    }),
  )
  app.get('/*', async () => 'answer')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { readonly port: number }
  await (await fetch(`http://127.0.0.1:${port}${url}`)).text()
  await app.close()
  expect([entered, left]).toEqual([expected, expected])
})
