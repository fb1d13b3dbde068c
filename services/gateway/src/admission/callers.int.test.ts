/** How often may be asked, of one key, account and address, reached through HTTP. */
import { randomBytes } from 'node:crypto'
import { makeSecret } from '@svc/contracts/api-key'
import { SECRET_RANDOM_BYTES } from '@svc/contracts/checked-secret'
import {
  chatBody,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from '@svc/testing/gateway/gateway-fixture'
import { newKey } from '@svc/testing/ledger/open-ledger'
import { openRunningLedger } from '@svc/testing/ledger/running-ledger'
import { wireFormats } from '@svc/testing/wire-formats'
import { afterEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../testing/format-requests.ts'
import { expectErrorBody } from '../../testing/oracle.ts'

let fixture: GatewayFixture

async function start(options: FixtureOptions): Promise<void> {
  fixture = await startGateway(options)
}
afterEach(() => fixture[Symbol.asyncDispose]())

const other = () => ({ authorization: `Bearer ${fixture.ledger.otherSecret}` })
/**
 * Makes a key that is well-formed, of the account, and not its own: a look into the store has to
 * tell.
 */
const forged = () => ({
  authorization: `Bearer ${makeSecret(fixture.ledger.accountId, randomBytes(SECRET_RANDOM_BYTES))}`,
})
/**
 * Makes a key of an account that another process has opened: this one does not have it in memory.
 */
async function keyMadeElsewhere(): Promise<string> {
  const { ledger } = await openRunningLedger(fixture.ledger.store)
  const { accountId } = await ledger.administration.openAccount({
    name: 'elsewhere',
    actor: 'operator',
  })
  const { secret } = await newKey(ledger, accountId, {
    name: 'key',
    actor: 'operator',
  })
  await ledger.close()
  return secret
}
const nonsense = { authorization: 'Bearer nonsense' }

async function statuses(count: number, headers = {}): Promise<number[]> {
  const seen: number[] = []
  for (let asked = 0; asked < count; asked += 1) {
    seen.push((await fixture.get('/v1/models', headers)).status)
  }
  return seen
}

describe('a rate', () => {
  test.each(['requestsPerMinutePerKey', 'requestsPerMinutePerAccount'] as const)(
    'of %s is told on every answer, kept, and no concern of others',
    async (name) => {
      await start({ limits: { [name]: 2 } })
      const first = await fixture.post(chatBody())
      expect(first.status).toBe(200)
      expect(first.headers.get('x-ratelimit-limit-requests')).toBe('2')
      expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('1')
      expect(first.headers.get('x-ratelimit-reset-requests')).toMatch(/^(1m0s|\d+s)$/)
      expect(await statuses(1)).toEqual([200])
      const over = await fixture.post(chatBody())
      expect(over.status).toBe(429)
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(40)
      expect(over.headers.get('x-ratelimit-remaining-requests')).toBe('0')
      expectErrorBody(await over.text(), { status: 429, code: 'rate_limit_exceeded' })
      expect(await statuses(1, other())).toEqual([200])
    },
  )

  test('of an address counts every caller behind it', async () => {
    await start({ limits: { requestsPerMinutePerAddress: 2 } })
    expect(await statuses(1)).toEqual([200])
    expect(await statuses(2, other())).toEqual([200, 429])
    expect(await statuses(1, nonsense)).toEqual([429])
  })

  test.each(wireFormats)('is told in the headers of $name', async (format) => {
    await start({ limits: { requestsPerMinutePerKey: 9 } })
    const answer = await postTo(fixture, format.paths[0], bodyOf(format, format.streamFields))
    const isAnthropic = format.family === 'anthropic'
    const name = isAnthropic
      ? 'anthropic-ratelimit-requests-remaining'
      : 'x-ratelimit-remaining-requests'
    expect(answer.headers.get(name)).toBe('8')
    await answer.text()
  })

  test('is not told where there is none', async () => {
    await start({})
    const { headers } = await fixture.get('/v1/models')
    expect(headers.get('x-ratelimit-limit-requests')).toBeNull()
  })
})

describe('bad keys from one address', () => {
  test('are 401 twenty times in a minute, then 429', async () => {
    await start({})
    const seen = [...(await statuses(10, forged())), ...(await statuses(10, nonsense))]
    expect(new Set(seen)).toEqual(new Set([401]))
    const rest = await statuses(15, forged())
    expect(new Set(rest)).toEqual(new Set([429]))
    const refused = await fixture.get('/v1/models', forged())
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expectErrorBody(await refused.text(), { status: 429, code: 'rate_limit_exceeded' })
  })

  test('cost few looks into the store, however many they are', async () => {
    await start({ limits: { badKeysPerMinute: 5 } })
    const startedMs = Date.now()
    await statuses(100, forged())
    const seconds = Math.ceil((Date.now() - startedMs) / 1_000)
    expect(fixture.ledger.looksIntoStore).toBeLessThanOrEqual(5 + seconds + 1)
  })

  test('harm no other key there that memory knows, and few that it does not', async () => {
    await start({ limits: { badKeysPerMinute: 5 } })
    await statuses(10, forged())
    expect(await statuses(3)).toEqual([200, 200, 200])
    const elsewhere = { authorization: `Bearer ${await keyMadeElsewhere()}` }
    await expect.poll(() => statuses(1, elsewhere)).toEqual([200])
  })

  test('are not counted where there is no key at all', async () => {
    await start({ limits: { badKeysPerMinute: 1 } })
    const asks = Array.from({ length: 5 }, () => fetch(`${fixture.baseUrl}/v1/models`))
    const seen = await Promise.all(asks)
    expect(seen.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
  })
})

describe('a key that another process has revoked', () => {
  /** @returns how the key is answered after it was known and then revoked elsewhere */
  async function afterRevocation(options: FixtureOptions): Promise<number> {
    await start(options)
    const { accountId, ledger, store } = fixture.ledger
    const { keyId, secret } = await newKey(ledger, accountId, {
      name: 'key',
      actor: 'operator',
    })
    const holder = { authorization: `Bearer ${secret}` }
    expect(await statuses(1, holder)).toEqual([200])
    const elsewhere = (await openRunningLedger(store)).ledger
    await elsewhere.administration.revokeKey(accountId, {
      keyId,
      reason: 'a test',
      actor: 'operator',
    })
    await elsewhere.close()
    const [status = 0] = await statuses(1, holder)
    return status
  }

  test('is refused at once where memory may be old', async () => {
    expect(await afterRevocation({ accountNews: { mayBeOld: () => true } })).toBe(401)
  })

  test('is let through where it is not, by memory alone', async () => {
    expect(await afterRevocation({ accountNews: { mayBeOld: () => false } })).toBe(200)
  })

  test('and one that was not, is let through where memory may be old', async () => {
    await start({ accountNews: { mayBeOld: () => true }, limits: { badKeysPerMinute: 1 } })
    await statuses(3, nonsense)
    expect(await statuses(3)).toEqual([200, 200, 200])
  })
})
