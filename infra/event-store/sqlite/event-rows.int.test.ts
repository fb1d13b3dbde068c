import { join } from 'node:path'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { seal } from '@svc/contracts/ports/hash-chain'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { newEvent } from '../compliance/fixtures.ts'
import { openEventLogFile } from './event-log-file.ts'
import { EventRows } from './event-rows.ts'

test('a name that was read in a transaction is not kept when that is rolled back', () => {
  const folder = temporaryFolder()
  const file = openEventLogFile(join(folder, 'ledger.db'))
  onTestFinished(() => file.close())
  const rows = new EventRows(file.database)
  const write = (stream: string): number => {
    const { events } = seal({ stream, expected: NO_STREAM, events: [newEvent('{}')] })
    const streamId = rows.insertStream(stream)
    for (const event of events) rows.insertEvent(0, streamId, event)
    expect(rows.forwards({ streamId, from: 0, limit: 1, until: 9 })[0]?.stream).toBe(stream)
    return streamId
  }
  file.database.exec('BEGIN')
  const first = write('account-1')
  file.database.exec('ROLLBACK')
  const second = write('account-2')

  expect(second).toBe(first)
  for (const page of [
    rows.all(-1n, 10, 9),
    rows.backwards({ streamId: second, from: 0, limit: 10, until: 9 }),
  ]) {
    expect(page.map(({ stream }) => stream)).toEqual(['account-2'])
  }
})
