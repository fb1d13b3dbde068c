import { expect, test } from 'vitest'
import type { Declaration } from './declaration/declaration.ts'
import { adminOperations } from './operations.ts'

const operations = Object.entries<Declaration>(adminOperations)

/** These operations show the service, its prices and its staff, and of customers totals at most. */
const withoutCustomers = [
  'checkFeed',
  'evidenceKey',
  'lastBackup',
  'lastVerification',
  'listAdminTokens',
  'listInvitations',
  'listPrices',
  'listProjections',
  'listQuarantine',
  'listWorkers',
  'previewPrice',
  'reconcile',
  'status',
  'sumAccounts',
  'verify',
]

test('whoever reads the records of customers leaves an event behind', () => {
  const unrecorded = operations.filter(
    ([, { role, recorded }]) => role === 'auditor' && recorded === undefined,
  )
  expect(unrecorded.map(([name]) => name).sort()).toEqual(withoutCustomers)
})

test('what is recorded of a question is in it', () => {
  for (const [, { input, recorded = [] }] of operations) {
    expect(Object.keys(input.shape)).toEqual(expect.arrayContaining([...recorded]))
  }
})

test('whatever changes something takes an idempotency key, or says what a repeat does', () => {
  const writes = operations.filter(
    ([, { method, role }]) => method === 'POST' && role !== 'auditor',
  )
  expect(writes.length).toBeGreaterThan(20)
  const unclear = writes.filter(
    ([, { input, repeat }]) => 'idempotency_key' in input.shape === (repeat !== undefined),
  )
  expect(unclear.map(([name]) => name)).toEqual([])
  const questions = operations.filter((operation) => !writes.includes(operation))
  expect(questions.filter(([, { repeat }]) => repeat !== undefined)).toEqual([])
})
