import {
  accept,
  grant,
  grantId,
  keyCreated,
  opened,
  price,
  sampleId,
  settle,
} from '@svc/testing/ledger/sample'
import { adjust, charge, correct, refund, voidOf } from '@svc/testing/ledger/sample-corrections'
import { START_MS } from '@svc/testing/manual-time'
import { describe, expect, test } from 'vitest'
import { given, history } from '../../../testing/decider-specification.ts'

const usable = [opened(), keyCreated()]

describe('a correction of an account with expired credit', () => {
  const at = START_MS + 1
  const rates = { ...price, output: 1n }
  const correction = { runId: sampleId('run', 1), price: rates, from: 0, to: START_MS + 9 }
  const spent = history(...usable, grant(1_000, 60n), accept(1), settle(1))
  const slices = [{ grantId: grantId(1_000), amount: 50n }]

  test.each([
    ['void', voidOf(1_000, { at })],
    ['refund', refund(1, 20n, { at, charge: { ...charge, slices } })],
    ['adjustment', adjust(1, -5n, { at })],
    ['price correction', correct(correction, { paid: 5n, promotional: 0n }, { at })],
  ])('is made when that is written off, or can be with it: %s', (_name, command) => {
    const withGifts = (count: number) => {
      const gift = (index: number) => grant(index, 1n, { expiresAt: at })
      return given(history(...spent, ...Array.from({ length: count }, (_, index) => gift(index))))
    }
    const { decision } = withGifts(400).when(command)
    expect(decision).toMatchObject({ kind: 'happens', events: { length: 401 } })
    withGifts(401)
      .when(command)
      .thenRefused('view_behind', /still being written off/, { retryAfterSeconds: 1 })
  })
})
