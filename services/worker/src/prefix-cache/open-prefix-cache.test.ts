import { expect, it } from 'vitest'
import { scriptedEngine } from '../engines/scripted/scripted-engine.ts'
import { openPrefixCache } from './open-prefix-cache.ts'
import { testReuse } from './self-test.ts'

it('shares no blocks that are larger than a value in Redis may be, and says so', async () => {
  const said: string[] = []
  const engine = scriptedEngine({ answer: 'some text' })
  const nowMs = () => performance.now()
  const { mode, cache } = openPrefixCache({
    settings: {
      on: true,
      bytes: 1024 ** 2,
      secret: 'a secret',
      redis: {
        url: 'redis://127.0.0.1:1',
        keyPrefix: 'svc.',
        blockTtlMs: 1_000,
        // A token of the script takes one byte, a block 128.
        tenantBytesMax: 1024 ** 2,
        blockBytesMax: 127,
      },
    },
    engine,
    reuse: await testReuse(engine, nowMs),
    nowMs,
    fingerprint: 'a model',
    log: (_level, message) => void said.push(message),
  })
  const reason = expect.stringMatching(/^blocks of 128 bytes are not shared.* allows 127$/)
  expect(mode).toMatchObject({ mode: 'on', reason, tiers: ['l1'] })
  expect(said).toEqual([reason])
  expect(cache.tiers.map(({ tier }) => tier)).toEqual(['l1'])
})
