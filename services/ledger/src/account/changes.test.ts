/** What the operator changes happens once, and what is something else is told from it. */
import type { AccountCommand } from '@svc/contracts/commands'
import { keptTextWord } from '@svc/contracts/kept-text'
import {
  accountId,
  createKey,
  grant,
  grantId,
  keyCreated,
  keyId,
  open,
  opened,
} from '@svc/testing/ledger/sample'
import { adjust, change, close, voidOf } from '@svc/testing/ledger/sample-corrections'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../testing/decider-specification.ts'

const LATER_MS = START_MS + 60_000
const usable = [opened(), keyCreated()]
const { changeId } = change(1)
const freeze = { ...change(1), type: 'FreezeAccount' } as const
const unfreeze = { ...change(1), type: 'UnfreezeAccount' } as const
const erase = { ...change(1), type: 'EraseTexts' } as const
const policy = { ...change(1), type: 'SetSpendPolicy', spendPolicy: 'strict' } as const
const rename = { ...change(1), type: 'RenameAccount', name: 'Ada' } as const
const renameKey = { ...change(1), type: 'RenameApiKey', keyId, name: 'phone' } as const
const endKey = { ...change(1), type: 'SetApiKeyExpiry', keyId, expiresAt: LATER_MS } as const
const payment = grant(1, 50n, { changeId })

/** Each change, and what has to be before it can happen. */
const changes: readonly (readonly [string, AccountCommand, readonly AccountCommand[]])[] = [
  ['a spend policy', policy, []],
  ['a name', rename, []],
  ["a key's name", renameKey, []],
  ["a key's end", endKey, []],
  ['a freeze', freeze, []],
  ['its end', unfreeze, [{ ...freeze, changeId: 'chg_0' }]],
  ['a grant', payment, []],
  ['a voided grant', voidOf(1), [grant(1, 50n)]],
  ['an erasure', erase, []],
  ['a closing', close({ changeId }), []],
]

/** Something else under the same id, whatever was done under it. */
const others: readonly AccountCommand[] = [
  ...changes.map(([, command]) => command),
  { ...policy, spendPolicy: 'standard' },
  { ...rename, name: 'Bob' },
  { ...renameKey, name: 'Ada' },
  { ...renameKey, keyId: 'key_2' },
  { ...endKey, expiresAt: LATER_MS + 1 },
  { ...endKey, keyId: 'key_2' },
  { ...payment, grantId: grantId(2) },
  { ...payment, amount: 51n },
  { ...payment, category: 'promotional' },
  { ...payment, priority: 101 },
  { ...payment, expiresAt: LATER_MS },
  voidOf(2, { changeId }),
]

describe.each(changes)('%s', (_name, command, before) => {
  const log = history(...usable, ...before, command)

  test('that is sent again changes nothing, whoever asks and why', () => {
    given(log)
      .when({ ...command, actor: 'another', reason: 'again', at: LATER_MS } as AccountCommand)
      .thenNothing()
  })

  test('is not taken for anything else under its id', () => {
    for (const other of others) {
      if (other === command) continue
      given(log)
        .when(other)
        .thenRefused('conflict', /under this idempotency key/)
    }
  })
})

test('what is so already does not happen again under another id', () => {
  for (const [command, before] of [
    [policy, policy],
    [rename, rename],
    [renameKey, renameKey],
    [endKey, endKey],
    [{ ...endKey, expiresAt: LATER_MS + 1 }, endKey],
  ] as const) {
    given(history(...usable, before))
      .when({ ...command, changeId: 'chg_2' })
      .thenNothing()
  }
})

describe('what is made under an id of its own', () => {
  const metadata = { plan: 'gold', team: 'blue' }
  const turned = { team: 'blue', plan: 'gold' }

  test.each([
    ['an account', [open({ metadata })], (named: object) => open({ metadata, ...named })],
    [
      'a key',
      [open(), createKey({ metadata })],
      (named: object) => createKey({ metadata, ...named }),
    ],
  ] as const)('%s is the same with the same metadata in any order', (_name, before, asked) => {
    const made = given(history(...before))
    made.when(asked({ metadata: turned })).thenNothing()
    made.when(asked({ metadata: { ...metadata, plan: 'tin' } })).thenRefused('conflict')
    made.when(asked({ metadata: { plan: 'gold' } })).thenRefused('conflict')
    made.when(asked({ metadata: { plan: 'blue', team: 'gold' } })).thenRefused('conflict')
    made.when(asked({ name: 'other' })).thenRefused('conflict')
  })
})

describe('texts that are kept beside the log', () => {
  const textOf = (id: number, hash: string, owner = accountId) =>
    keptTextWord({ owner, id: `${id}`.padStart(16, '0'), hash: hash.repeat(64) })

  test('are the same when their content is: one reference grants once', () => {
    const paid = given(history(...usable, grant(1, 50n, { reference: textOf(1, 'a') })))
    paid.when(grant(1, 50n, { reference: textOf(2, 'a') })).thenNothing()
    paid.when(grant(2, 50n, { reference: textOf(2, 'a') })).thenNothing()
    paid.when(grant(2, 51n, { reference: textOf(2, 'a') })).thenRefused('conflict')
    paid.when(grant(1, 50n, { reference: textOf(2, 'b') })).thenRefused('conflict')
    paid.when(grant(2, 50n, { reference: textOf(2, 'b') })).thenHappens(['CreditGranted'])
  })

  const written = { ...rename, name: textOf(1, 'a') }
  const paid = grant(1, 50n, { reference: textOf(4, 'a') })
  const adjusted = adjust(1, 5n, { reference: textOf(5, 'a') })
  const before = [...usable, createKey({ keyId: 'key_2' }), written, paid, adjusted]
  const erased = history(...before, { ...erase, changeId: 'chg_2' })

  test('are erased once for each change', () => {
    given(usable)
      .when(erase)
      .thenHappens(['TextsErased', { changeId, reason: erase.reason }])
    expect(given(erased).state.erasures).toBe(1)
  })

  test('are not compared once they are erased: then the id says what was done', () => {
    const { when } = given(erased)
    when({ ...written, name: textOf(3, 'b', `${accountId}-1`) }).thenNothing()
    when(createKey({ keyId: 'key_2', name: 'other' })).thenNothing()
    when(open({ name: 'other' })).thenNothing()
    const reference = textOf(3, 'b', `${accountId}-1`)
    when({ ...paid, reference }).thenNothing()
    when({ ...adjusted, reference }).thenNothing()
    when({ ...adjusted, adjustmentId: 'adj_2', reference }).thenHappens(['BalanceAdjusted'])
  })

  test('that went with the erasure are asked for again', () => {
    const rename = (name: string) => given(erased).when({ ...written, changeId: 'chg_3', name })
    rename(textOf(1, 'b')).thenRefused('conflict', /erased meanwhile/)
    rename(textOf(1, 'b', `${accountId}-2`)).thenRefused('conflict', /erased meanwhile/)
    rename(textOf(1, 'b', 'acct_other')).thenHappens(['AccountRenamed'])
    rename('Ada').thenHappens(['AccountRenamed'])
    rename(textOf(1, 'b', `${accountId}-1`)).thenHappens(['AccountRenamed'])
  })

  test('that went with the erasure do not matter where nothing happens with them', () => {
    const { when } = given(erased)
    when({ ...written, name: textOf(3, 'b') }).thenNothing()
    when({ ...renameKey, changeId: 'chg_3', keyId: 'key_9', name: textOf(3, 'b') }).thenRefused(
      'not_found',
    )
  })

  test('of a closed account can be erased, and nothing else happens to it', () => {
    const { when } = given(history(...usable, close()))
    when(rename).thenRefused('conflict', /closed/)
    when(grant(1, 1n)).thenRefused('conflict', /closed/)
    when(erase).thenHappens(['TextsErased'])
  })
})
