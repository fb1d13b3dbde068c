import { decodeMetadata } from '@svc/contracts/events/codec'
import {
  accept,
  accountId,
  grant,
  grantId,
  keyCreated,
  opened,
  requestId,
  settle,
} from '@svc/testing/ledger/sample'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../testing/decider-specification.ts'
import { recordable } from './recording.ts'

describe('recorded events', () => {
  const expiring = grant(1, 500n, { expiresAt: START_MS + 5 })
  const account = given(history(opened(), keyCreated(), expiring, grant(2, 500n), accept(1)))

  function record(command: Parameters<typeof account.when>[0], revision: number) {
    const { decision } = account.when(command)
    if (decision.kind !== 'happens') throw new Error('it does not happen')
    return recordable(decision.events, command, accountId, revision)
  }

  test('have the same ids whenever the same command is recorded', () => {
    const settled = settle(1, { failure: 'broke' })
    const ids = record(settled, 7).map(({ id }) => id)
    expect(record(settled, 9).map(({ id }) => id)).toEqual(ids)
    expect(new Set(ids).size).toBe(3)
  })

  test('that may happen again to the same thing have other ids then', () => {
    const policy = {
      type: 'SetSpendPolicy',
      spendPolicy: 'strict',
      changeId: 'chg_1',
      reason: '',
      actor: 'x',
      at: 0,
    } as const
    const expire = { type: 'ExpireCredit', actor: 'x', at: START_MS + 5 } as const
    for (const command of [policy, expire]) {
      expect(record(command, 7)[0]?.id).not.toBe(record(command, 8)[0]?.id)
    }
  })

  test('say what they belong to, what caused them, and who asked', () => {
    const late = accept(2, { at: START_MS + 5, actor: 'gateway:gw_1' })
    const [expired, accepted] = record(late, 7)
    expect(expired && decodeMetadata(expired)).toEqual({
      schemaVersion: 1,
      correlationId: grantId(1),
      causationId: requestId(2),
      actor: 'gateway:gw_1',
    })
    expect(accepted && decodeMetadata(accepted)).toMatchObject({
      correlationId: requestId(2),
      causationId: expired?.id,
    })
  })
})
