import { verifyEvidence } from '@svc/contracts/evidence/verify-evidence'
import { expect, test } from 'vitest'
import { collect, localOperations } from '../../testing/operations.ts'

test('evidence holds events as they are stored, not as they are shown', async () => {
  const { operations } = await localOperations()
  const { account_id } = await operations.openAccount({ name: 'Ada', spend_policy: 'standard' })
  const terms = { category: 'paid', priority: 100, expires_at: null, reference: 'INV-7' } as const
  await operations.grant({ account_id, amount: '5', reason: 'a payment of Ada', ...terms })
  const pieces = await collect(operations.exportEvidence({ account_id }))
  const text = pieces.map((piece) => piece.text).join('')
  expect(text).not.toContain('a payment of Ada')
  const { key } = await operations.evidenceKey()
  const verdict = await verifyEvidence([Buffer.from(text)], { key })
  expect(verdict).toMatchObject({ verdict: 'ok', events: 2 })
})
