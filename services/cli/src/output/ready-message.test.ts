import type { Ready } from '@svc/server/roles/all'
import { expect, test } from 'vitest'
import { readerOf, readyLine, readyPage } from './ready-message.ts'

const ready: Ready = {
  role: 'all',
  baseUrl: 'http://127.0.0.1:8080',
  listening: undefined,
  apiKey: 'sk-svc-key',
  accountId: 'acct_1',
  hasDashboard: true,
  hasViews: true,
  dataDir: '/data',
  pid: 7,
  modelName: 'model',
  toy: true,
  unpricedModels: [],
}
const shell = readerOf({})
const behindTls = { ...ready, baseUrl: 'https://api.example.com', listening: '127.0.0.1:8080' }

test('a model without a price is named with the time when it has one, if that is announced', () => {
  const unpriced = { ...ready, unpricedModels: ['my-model'] }
  expect(readyPage(unpriced, shell)).toContain(
    'in force for my-model: every request is\n  refused until there is one,',
  )
  const announced = { ...unpriced, pricedFrom: '2999-01-01T00:00:00.000Z' }
  const page = readyPage(announced, shell)
  expect(page).toContain('in force for my-model before 2999-01-01T00:00:00.000Z: every')
  expect(page).toContain('refused until then, or until another is,')
  expect(JSON.parse(readyLine(announced))).toMatchObject({ pricedFrom: announced.pricedFrom })
})

test('a server with a public address names no other, and says where it listens', () => {
  for (const message of [readyPage(behindTls, shell), readyLine(behindTls)]) {
    expect(message).not.toContain('http://')
    expect(message).toContain('https://api.example.com')
    expect(message).toContain('127.0.0.1:8080')
  }
  expect(readyPage(behindTls, shell)).toContain('curl https://api.example.com/v1/chat/completions')
})

test('a server without one names the address that it listens on, once', () => {
  expect(readyPage(ready, shell)).toContain('OpenAI base URL   http://127.0.0.1:8080/v1')
  expect(readyPage(ready, shell)).not.toContain('Listening on')
  expect(Object.keys(JSON.parse(readyLine(ready)))).not.toContain('listening')
})

test('the price in force is told, and none when there is none', () => {
  const price = { input: 150_000n, cachedInput: 15_000n, output: 600_000n }
  expect(readyPage({ ...ready, price }, shell)).toContain(
    '  Price             $0.15 input, $0.015 cached input, $0.60 output per million tokens\n',
  )
  expect(readyPage(ready, shell)).not.toContain('  Price  ')
})

test('a role that clients do not ask names no address for them', () => {
  const sweeper = { ...ready, role: 'sweeper', apiKey: undefined, hasDashboard: false } as const
  const page = readyPage(sweeper, shell)
  expect(page).toContain('The sweeper is ready.')
  expect(page).toContain('http://127.0.0.1:8080/readyz')
  expect(page).not.toMatch(/base URL|Account|Dashboard/)
  expect(JSON.parse(readyLine({ ...ready, role: 'sweeper' }))).toMatchObject({ role: 'sweeper' })
  expect(Object.keys(JSON.parse(readyLine(ready)))).not.toContain('role')
})

const ownerLink = 'http://127.0.0.1:9001/dashboard/link#secret'

test('a projector shows its dashboard, and the link that makes its first owner', () => {
  const page = readyPage({ ...ready, role: 'projector', apiKey: undefined, ownerLink }, shell)
  expect(page).toContain('  Dashboard         http://127.0.0.1:8080/\n')
  expect(page).toContain(`  ${ownerLink}\n`)
})

test('a gateway without a dashboard shows none, and names its folder for what is to be done', () => {
  const page = readyPage(
    { ...ready, role: 'gateway', hasDashboard: false, accountId: undefined },
    shell,
  )
  expect(page).not.toContain('Dashboard')
  expect(page).toContain("none yet: ./svc --data-dir '/data' account open --name NAME")
})

test('a gateway without views names a server with views for what it refuses', () => {
  const gateway = { ...ready, role: 'gateway', hasDashboard: false, hasViews: false } as const
  const page = readyPage(gateway, shell)
  expect(page).toContain('Ask a server with views, such as a projector:')
  expect(page).toContain("  ./svc --data-dir 'FOLDER' statement acct_1\n")
  expect(page).toContain("  ./svc --data-dir 'FOLDER' explain REQUEST_ID\n")
  expect(page).not.toMatch(/'\/data' (statement|explain)/)
  const outside = readyPage(gateway, readerOf({ IN_SVC_IMAGE: '1', SVC_DATA_DIR: '/data' }))
  expect(outside).toContain('  docker exec CONTAINER svc statement acct_1\n')
})

test('in the image commands are told as they are called outside of the container', () => {
  const outside = readerOf({ IN_SVC_IMAGE: '1', SVC_DATA_DIR: '/data' })
  const page = readyPage(ready, outside)
  expect(page).toContain('  docker exec CONTAINER svc statement  ')
  expect(page).toContain('The port is that in the container')
  expect(page).toContain('Stop with Ctrl-C or docker stop.')
  expect(page).not.toMatch(/\.\/svc|npm start|--data-dir/)
  expect(readyPage(behindTls, outside)).not.toContain('The port is')
  const elsewhere = readyPage({ ...ready, dataDir: '/data/svc' }, outside)
  expect(elsewhere).toContain("docker exec CONTAINER svc --data-dir '/data/svc' verify")
})
