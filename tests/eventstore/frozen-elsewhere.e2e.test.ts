import { secretOf } from '@svc/testing/made-key'
import { startRunningServer } from '@svc/testing/running-server'
import { StreamReader } from '@svc/testing/stream-reader'
import { withoutModel } from '@svc/testing/without-model'
import { expect, onTestFinished, test } from 'vitest'
import { newPrefix } from './server-story.ts'
import { startStoreUnderTest } from './store-under-test.ts'

/** The answer would take ten minutes: whatever ends it before is no end of its own. */
const SCRIPT = { tokens: 6_000, delayMs: 100 }
/** Each look asks a whole server. */
const SELDOM = { interval: 250 }
const TEST_MS_MAX = 120_000

test(
  'a stream of the other gateway ends, and what was sent is charged',
  async () => {
    const store = await startStoreUnderTest(1)
    onTestFinished(() => store.stop())
    const environment = {
      EVENTSTORE_URL: store.url,
      SVC_EVENTSTORE_PREFIX: newPrefix(),
      ...(await withoutModel(SCRIPT)),
      SVC_REQUEST_LOG: 'off',
    }
    const [freezing, serving] = await Promise.all([
      startRunningServer(environment),
      startRunningServer(environment),
    ])
    const { operations } = freezing
    const { account_id } = await operations.openAccount({ name: 'Ada', spend_policy: 'standard' })
    const credit = { category: 'paid', priority: 0, expires_at: null, reference: null } as const
    await operations.grant({ account_id, amount: '100', reason: 'test', ...credit })
    const key = await operations.createKey({ account_id, name: 'k', expires_at: null })
    const ask = () =>
      fetch(`${serving.ready.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secretOf(key)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          model: 'svc-beta',
          stream: true,
          messages: [{ role: 'user', content: 'hello' }],
        }),
      })
    const stream = new StreamReader(await ask())
    await stream.until('"content":"')

    await operations.freezeAccount({ account_id, reason: 'a dispute' })
    expect(await stream.rest()).toContain('account_frozen')
    const refused = await ask()
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('account_frozen'),
    ])
    await expect
      .poll(async () => (await operations.showAccount({ account_id })).open_requests, SELDOM)
      .toBe(0)
    const { events } = await operations.listEvents({ type: 'CreditDebited', limit: 10 })
    expect(events).toMatchObject([{ data: { amount: expect.stringMatching(/^[1-9]/) } }])

    await operations.unfreezeAccount({ account_id, reason: 'settled' })
    const again = new StreamReader(await ask())
    await again.until('"content":"')
    for (const { process } of [freezing, serving]) await process.stop()
  },
  TEST_MS_MAX,
)
