/** How SQLite answers what the views ask: never by looking at every row of a table that grows. */
import { DatabaseSync } from 'node:sqlite'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { expect, test, vi } from 'vitest'
import { viewsOf } from '../testing/open-views.ts'

/** The tables that may be looked at whole, and why. */
const WHOLE: Readonly<Record<string, string>> = {
  accounts: 'counted by an index, for the metrics',
  holds: 'counted by an index: a row for each request that runs',
  running: 'a row for each request that runs',
  prices: 'a row for each version of a price',
  checkpoint: 'one row',
  set_aside: 'a row for each damaged stream',
  sqlite_master: 'a row for each table',
  asked: 'what the question itself brings',
  climbed: 'the entries of one page',
}

/** The tables that a question looks at whole, of each that is prepared for the open views. */
async function scans(): Promise<readonly (readonly [table: string, sql: string])[]> {
  const prepared: (readonly [DatabaseSync, string])[] = []
  const { prepare } = DatabaseSync.prototype
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
    this: DatabaseSync,
    ...given
  ) {
    prepared.push([this, given[0]])
    return prepare.apply(this, given)
  })
  await viewsOf(new MemoryEventStore())
  spy.mockRestore()
  const questions = prepared.filter(
    ([database, sql]) => database.isOpen && /^\s*(SELECT|WITH|DELETE|UPDATE)/.test(sql),
  )
  expect(questions.length).toBeGreaterThan(40)
  return questions.flatMap(([database, sql]) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    return steps.flatMap(({ detail }) => {
      const [, table] = /^SCAN (\w+)\b(?! ROW)/.exec(String(detail)) ?? []
      return table === undefined ? [] : [[table, sql] as const]
    })
  })
}

test('no question looks at every row of a table that grows', async () => {
  const unexpected = (await scans()).filter(([table]) => !(table in WHOLE))
  expect(unexpected).toEqual([])
})
