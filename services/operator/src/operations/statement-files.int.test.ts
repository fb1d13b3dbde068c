/** The statement of an account as a file, and the days that a statement is asked for. */
import type { Operations } from '@svc/contracts/admin/operations'
import { expect, test } from 'vitest'
import { collect, localOperations, remoteOperations } from '../../testing/operations.ts'

const reason = 'a claim of Ada'

async function adjusted(operations: Operations, account_id: string): Promise<void> {
  await operations.adjust({ account_id, amount: '1', reason, idempotency_key: 'claim-1' })
}

test.each([
  ['in this process', localOperations],
  ['over HTTP', remoteOperations],
])('a file has every row, with who did it and why, %s', async (_, open) => {
  const { operations, account } = await open()
  const { accountId: account_id } = account
  await adjusted(operations, account_id)
  const { rows, closing, position } = await operations.statement({ account_id, limit: 100 })
  const [head, ...lines] = await fileLines(operations, { account_id, as: 'jsonl' })
  expect(head).toMatchObject({ type: 'opening', account_id, zone: 'UTC', position, closing })
  expect(lines.at(-1)).toEqual({ type: 'closing', closing, rows: rows.length })
  expect(lines.slice(0, -1)).toEqual(rows)
  expect(rows.at(-1)).toMatchObject({ actor: 'operator', reason })
  const [page] = await collect(operations.exportStatement({ account_id, as: 'html' }))
  expect(page?.text).toMatch(/^<!doctype html>/)
})

test('a statement and its file take days of a zone, and begin where they do', async () => {
  const { operations, account } = await localOperations()
  const { accountId: account_id } = account
  await adjusted(operations, account_id)
  const { rows: all } = await operations.statement({ account_id, limit: 100 })
  const last = all.at(-1)?.at ?? ''
  const zone = 'Asia/Kathmandu'
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date(last))
  const period = { account_id, from: day, zone }
  const { rows, opening } = await operations.statement({ ...period, limit: 100 })
  expect(rows).toEqual(all.filter(({ at }) => Date.parse(at) >= startIn(day, '+05:45')))
  expect(opening).toBe(all.at(-rows.length - 1)?.balance)
  const [head] = await fileLines(operations, { ...period, as: 'jsonl' })
  expect(head).toMatchObject({ from: `${day}T00:00:00+05:45`, zone, opening, rows: rows.length })
})

test('what a file cannot be of is refused', async () => {
  const { operations, account } = await localOperations()
  const { accountId: account_id } = account
  const refused = (asked: Partial<Parameters<Operations['exportStatement']>[0]>) =>
    expect(collect(operations.exportStatement({ account_id, ...asked }))).rejects
  await refused({ account_id: `acct_${'0'.repeat(26)}` }).toMatchObject({ code: 'not_found' })
  await refused({ zone: 'Mars/Phobos' }).toMatchObject({ code: 'invalid_value', param: 'zone' })
  const backwards = { from: '2026-11-02', to: '2026-11-01' }
  await refused(backwards).toMatchObject({ code: 'invalid_value', param: 'from' })
})

function startIn(day: string, offset: string): number {
  return Date.parse(`${day}T00:00:00${offset}`)
}

type Asked = Parameters<Operations['exportStatement']>[0]

async function fileLines(operations: Operations, asked: Asked): Promise<Record<string, unknown>[]> {
  const pieces = await collect(operations.exportStatement(asked))
  const text = pieces.map((piece) => piece.text).join('')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
