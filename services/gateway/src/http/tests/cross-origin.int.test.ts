/** What a browser reads before it lets a page of another origin see an answer. */
import { chatBody, type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { wireFormats } from '@svc/testing/wire-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

const PAGE = 'https://chat.example.com'
const STRANGER = 'https://evil.example.com'

const preflightOf = (origin: string) => ({
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
})

function ask(
  { baseUrl }: GatewayFixture,
  path: string,
  headers: Record<string, string>,
  method = 'OPTIONS',
) {
  return fetch(baseUrl + path, { method, headers })
}

/** Of an answer, all headers of CORS. */
function sharedBy({ headers }: Response) {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))
}

describe('a page whose origin is named', () => {
  let fixture: GatewayFixture
  beforeAll(async () => {
    fixture = await startGateway({ corsOrigins: ['http://localhost:3000', PAGE] })
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  test('is told what it may send', async () => {
    const answer = await ask(fixture, '/v1/chat/completions', preflightOf(PAGE))
    expect(answer.status).toBe(204)
    expect(await answer.text()).toBe('')
    expect(sharedBy(answer)).toEqual({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, *',
      'access-control-max-age': '7200',
      'access-control-expose-headers': '*',
    })
    expect(answer.headers.get('vary')).toBe('origin')
    expect(fixture.ledger.entries.size).toBe(0)
  })

  const ways = wireFormats.flatMap((format) => [
    { format, stream: false },
    { format, stream: true },
  ])
  test.each(ways)('reads answers of $format.name, streamed $stream', async (way) => {
    const body = bodyOf(way.format, { stream: way.stream })
    const answer = await postTo(fixture, way.format.paths[0], body, { origin: PAGE })
    expect(answer.status).toBe(200)
    await answer.text()
    const shared = {
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': '*',
    }
    expect(sharedBy(answer)).toEqual(shared)
  })

  test.each([
    ['/v1/chat/completions', { authorization: 'Bearer sk-svc-x' }, 401],
    ['/v1/nothing', {}, 404],
  ])('reads why %s was refused', async (path, headers, status) => {
    const answer = await ask(fixture, path, { ...headers, origin: PAGE }, 'POST')
    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE)
  })

  test.each(['/admin/v1/nothing', '/dashboard/api/session', '/dashboard/'])(
    'sees nothing of %s',
    async (path) => {
      for (const method of ['OPTIONS', 'GET']) {
        const answer = await ask(fixture, path, preflightOf(PAGE), method)
        expect(answer.status).not.toBe(204)
        expect(sharedBy(answer)).toEqual({})
      }
    },
  )

  test('is told of no path that is not there', async () => {
    const answer = await ask(fixture, '/v1/nothing', preflightOf(PAGE))
    expect(answer.status).toBe(404)
  })

  test.each([STRANGER, 'https://chat.example.com.evil.com', 'http://chat.example.com', 'null'])(
    'is not %s',
    async (origin) => {
      const refused = await ask(fixture, '/v1/chat/completions', preflightOf(origin))
      expect(refused.status).toBe(405)
      expect(sharedBy(refused)).toEqual({})
      const answer = await fixture.post(chatBody(), { origin })
      expect(answer.status).toBe(200)
      expect(sharedBy(answer)).toEqual({})
    },
  )
})

test('every page may, where all origins are named', async () => {
  await using fixture = await startGateway({ corsOrigins: ['*'] })
  const preflight = await ask(fixture, '/v1/models', preflightOf(STRANGER))
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-methods')).toContain('GET')
  const answer = await fixture.post(chatBody(), { origin: STRANGER })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
})

test('no page may by default', async () => {
  await using fixture = await startGateway()
  const preflight = await ask(fixture, '/v1/chat/completions', preflightOf(PAGE))
  expect(preflight.status).toBe(405)
  expect(sharedBy(await fixture.post(chatBody(), { origin: PAGE }))).toEqual({})
})

test('preflights without end are sent after pauses, as refusals are', async () => {
  const limits = { refusalPauseMs: 300, refusalsPerSecond: 2 }
  await using fixture = await startGateway({ corsOrigins: ['*'], limits })
  const startMs = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => ask(fixture, '/v1/models', preflightOf(PAGE))),
  )
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(299)
})
