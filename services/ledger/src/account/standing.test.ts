import {
  accept,
  createKey,
  grant,
  grantId,
  keyCreated,
  keyId,
  opened,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import { adjust, change, close } from '@svc/testing/ledger/sample-corrections'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../testing/decider-specification.ts'

const usable = [opened(), keyCreated()]

describe('an account', () => {
  test('that is frozen takes no request; what runs is settled', () => {
    const frozen = history(...usable, grant(1, 500n), accept(1), {
      ...change(1),
      type: 'FreezeAccount',
    })
    given(frozen)
      .when(accept(2))
      .thenRefused('account_frozen', /frozen/)
    given(frozen)
      .when(settle(1, { finishReason: 'cancelled' }))
      .thenHappens(['TokensMetered'], ['CreditDebited'])
    given(frozen)
      .when({ ...change(2), type: 'FreezeAccount' })
      .thenNothing()
    const unfreeze = { ...change(3), type: 'UnfreezeAccount' } as const
    given(frozen)
      .when({ ...unfreeze, reason: 'it was paid' })
      .thenHappens(['AccountUnfrozen', { reason: 'it was paid', at: START_MS }])
    const again = history(...frozen, unfreeze)
    given(again)
      .when({ ...unfreeze, changeId: 'chg_x' })
      .thenNothing()
    given(again).when(accept(2)).thenHappens(['RequestAccepted'])
    given(again)
      .when({ ...change(1), type: 'FreezeAccount' })
      .thenNothing()
    given(again)
      .when({ ...change(4), type: 'FreezeAccount' })
      .thenHappens(['AccountFrozen'])
  })

  test('is closed at a balance of zero, and its keys with it', () => {
    const state = given(history(...usable))
      .when(close())
      .thenHappens(['AccountClosed', { remainder: 'none', amount: 0n, balanceAfter: 0n }])
    expect(state.keys.get(keyId)?.revokedAt).toBe(START_MS)
    const log = history(...usable, close())
    given(log)
      .when(close({ changeId: 'chg_x' }))
      .thenNothing()
    given(log)
      .when(grant(1, 5n))
      .thenRefused('conflict', /closed on \{when\}/, { when: START_MS })
    given(log).when(accept(1)).thenRefused('invalid_api_key')
    given(log)
      .when(createKey({ keyId: sampleId('key', 2) }))
      .thenRefused('conflict', /closed on/)
  })

  test('with a balance is closed when it is said what becomes of it', () => {
    const credit = history(...usable, grant(1, 50n), grant(2, 20n))
    given(credit)
      .when(close())
      .thenRefused('conflict', /\$0.00000000007, not zero: say whether/)
    const { decision } = given(credit).when(close())
    expect(decision).toMatchObject({ refusal: { param: 'remainder' } })
    const slices = [
      { grantId: grantId(1), amount: 50n },
      { grantId: grantId(2), amount: 20n },
    ]
    given(credit)
      .when(close({ remainder: 'paid_out', reference: 'PAYOUT-1' }))
      .thenHappens(['AccountClosed', { amount: -70n, slices, remainder: 'paid_out' }])
    const debt = history(...usable, adjust(1, -30n))
    given(debt)
      .when(close())
      .thenRefused('conflict', /not zero: write it off/)
    given(debt)
      .when(close({ remainder: 'paid_out' }))
      .thenRefused('conflict', /debt/)
    given(debt)
      .when(close({ remainder: 'written_off' }))
      .thenHappens(['AccountClosed', { amount: 30n, paidDebt: 30n, balanceAfter: 0n }])
  })

  test('is closed without a remainder when there is none, whatever is said of it', () => {
    for (const remainder of ['paid_out', 'written_off'] as const) {
      given(history(...usable))
        .when(close({ remainder }))
        .thenHappens(['AccountClosed', { remainder: 'none', amount: 0n, slices: [] }])
    }
  })

  test('is closed with what is left of its credit, not with what is used up', () => {
    given(history(...usable, grant(1, 50n), adjust(1, -50n), grant(2, 20n)))
      .when(close({ remainder: 'written_off' }))
      .thenHappens(['AccountClosed', { slices: [{ grantId: grantId(2), amount: 20n }] }])
  })

  test('is closed when what has expired is written off, or can be with it', () => {
    const gifts = (count: number) => {
      const expiresAt = START_MS + 1
      const made = Array.from({ length: count }, (_, index) => grant(index, 1n, { expiresAt }))
      return given(history(...usable, ...made)).when(close({ at: START_MS + 1 }))
    }
    expect(gifts(400).decision).toMatchObject({ kind: 'happens', events: { length: 401 } })
    gifts(401).thenRefused('view_behind', /still being written off/)
  })

  test('is not closed while something runs', () => {
    given(history(...usable, grant(1, 500n), accept(1)))
      .when(close({ remainder: 'written_off' }))
      .thenRefused('conflict', /1 running request:/)
  })

  test('and its keys are renamed', () => {
    const name = { ...change(1), type: 'RenameAccount', name: 'Ada & Co.' } as const
    given(...usable)
      .when(name)
      .thenHappens(['AccountRenamed', { name: 'Ada & Co.', reason: 'a mistake' }])
    given(history(...usable, name))
      .when({ ...name, changeId: 'chg_x' })
      .thenNothing()
    given(...usable)
      .when({ ...name, name: '' })
      .thenRefused('invalid_value', /^The name of an account/, { param: 'name' })
    const key = { ...change(2), type: 'RenameApiKey', keyId, name: 'laptop' } as const
    given(...usable)
      .when(key)
      .thenHappens(['ApiKeyRenamed', { keyId, name: 'laptop' }])
    given(...usable)
      .when({ ...key, keyId: 'key_x' })
      .thenRefused('not_found')
    given(...usable)
      .when({ ...key, name: 'x'.repeat(201) })
      .thenRefused('invalid_value', /^The name of a key/, { param: 'name' })
    // A character is one, also where it takes two units of UTF-16.
    given(...usable)
      .when({ ...key, name: '😀'.repeat(200) })
      .thenHappens(['ApiKeyRenamed', { keyId, name: '😀'.repeat(200) }])
  })

  test('and a key is made to end earlier, never later', () => {
    const ends = { ...change(1), type: 'SetApiKeyExpiry', keyId, expiresAt: 5_000 } as const
    const at = { at: 1_000 }
    given(...usable)
      .when({ ...ends, ...at })
      .thenHappens(['ApiKeyExpirySet', { keyId, expiresAt: 5_000 }])
    const ending = history(...usable, { ...ends, ...at })
    for (const expiresAt of [5_000, 6_000]) {
      given(ending)
        .when({ ...ends, ...at, changeId: 'chg_x', expiresAt })
        .thenNothing()
    }
    given(ending)
      .when({ ...ends, ...at, changeId: 'chg_x', expiresAt: 4_000 })
      .thenHappens(['ApiKeyExpirySet', { keyId, expiresAt: 4_000 }])
    given(ending)
      .when({ ...ends, changeId: 'chg_x', at: 5_000 })
      .thenRefused('conflict', /ended/)
    given(...usable)
      .when({ ...ends, at: 5_000 })
      .thenRefused('invalid_value', /have expired already/, { param: 'expires_at' })
    given(...usable)
      .when({ ...ends, ...at, keyId: 'key_x' })
      .thenRefused('not_found')
  })
})
