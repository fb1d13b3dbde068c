/** Second connections to views, for who reads for long. */
import { DatabaseSync } from 'node:sqlite'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test, vi } from 'vitest'
import { viewPath } from '../src/runner/file/view-file.ts'
import { usageProjection } from '../src/views/usage/usage.ts'
import { viewsOf } from '../testing/open-views.ts'

test.each(['checkpoint', 'usage'])(
  'a snapshot of a file whose table %s is damaged leaves no connection open',
  async (table) => {
    const store = new MemoryEventStore()
    await new AccountHistory('Ada').open().writeTo(store)
    const folder = temporaryFolder()
    const { views } = await viewsOf(store, folder)
    const other = new DatabaseSync(viewPath(folder, usageProjection))
    other.exec(`DROP TABLE ${table}`)
    other.close()
    const closing = vi.spyOn(DatabaseSync.prototype, 'close')
    onTestFinished(() => closing.mockRestore())
    await expect(views.movementsSnapshot()).rejects.toThrow('no such table')
    expect(closing).toHaveBeenCalledOnce()
  },
)
