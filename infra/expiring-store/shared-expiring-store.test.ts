import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import { describe, expect, test } from 'vitest'
import { describeExpiringStore, noon } from './expiring-store.suite.ts'
import { MemoryExpiringStore } from './memory/memory-expiring-store.ts'
import { SHARED_TEXT_CHARACTERS_MAX, SharedExpiringStore } from './shared-expiring-store.ts'

describeExpiringStore('two of one copy', (bounds) => {
  const [own, shared] = [new MemoryExpiringStore(bounds), new MemoryExpiringStore(bounds)]
  return new SharedExpiringStore({ own, shared, copies: 'one' })
})

/** Makes two gateways over one shared store, which can be away. */
function gateways(copies: 'both' | 'one') {
  const kept = new MemoryExpiringStore()
  let away = false
  const shared = new Proxy<ExpiringStore>(kept, {
    get: (target, name: keyof ExpiringStore) => {
      const method = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>
      return async (...args: unknown[]) => {
        if (away) throw new Error('away')
        return method(...args)
      }
    },
  })
  const [here, there] = [1, 2].map(
    () => new SharedExpiringStore({ own: new MemoryExpiringStore(), shared, copies }),
  ) as [SharedExpiringStore, SharedExpiringStore]
  return {
    here,
    there,
    shared,
    away(is: boolean) {
      away = is
    },
  }
}

describe.each(['both', 'one'] as const)('texts with copies: %s', (copies) => {
  test('are found by every gateway', async () => {
    const { here, there } = gateways(copies)
    await here.save('acct_1', 'one', 'text', noon)
    expect(await there.load('acct_1', 'one', 0)).toBe('text')
  })

  test('are kept by their own gateway while the shared store is away', async () => {
    const { here, there, away } = gateways(copies)
    away(true)
    await here.save('acct_1', 'one', 'text', noon)
    expect(await here.load('acct_1', 'one', 0)).toBe('text')
    expect(await there.load('acct_1', 'one', 0)).toBeUndefined()
    expect(await here.removeExpired(noon, 5)).toBe(1)
  })

  test('that are very large stay with their own gateway', async () => {
    const { here, there } = gateways(copies)
    await here.save('acct_1', 'one', 'x'.repeat(SHARED_TEXT_CHARACTERS_MAX + 1), noon)
    expect(await here.load('acct_1', 'one', 0)).toBeDefined()
    expect(await there.load('acct_1', 'one', 0)).toBeUndefined()
  })
})

test('a text of both copies is found again when the shared store has lost it', async () => {
  const { here, shared } = gateways('both')
  await here.save('acct_1', 'one', 'text', noon)
  await shared.remove('acct_1', 'one')
  expect(await here.load('acct_1', 'one', 0)).toBe('text')
})

describe('a removed text of one copy', () => {
  test('is gone for the gateway that kept it, too', async () => {
    const { here, there } = gateways('one')
    await here.save('acct_1', 'one', 'text', noon)
    expect(await there.remove('acct_1', 'one')).toBe(true)
    expect(await here.load('acct_1', 'one', 0)).toBeUndefined()
    expect(await here.remove('acct_1', 'one')).toBe(false)
  })

  test('is not said to be gone while the shared store may still hold it', async () => {
    const { here, away } = gateways('one')
    await here.save('acct_1', 'one', 'text', noon)
    away(true)
    const refused = { code: 'store_unavailable' }
    await expect(here.remove('acct_1', 'one')).rejects.toMatchObject(refused)
    await expect(here.removeAll('acct_1')).rejects.toMatchObject(refused)
    away(false)
    expect(await here.removeAll('acct_1')).toBe(1)
    expect(await here.remove('acct_1', 'one')).toBe(false)
  })
})
