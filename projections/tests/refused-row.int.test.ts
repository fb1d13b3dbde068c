/** What folds well in memory and then does not fit the table. */
import { accountStream } from '@svc/contracts/events/account'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { viewsOf } from '../testing/open-views.ts'

const id = requestId(START_MS, 'first')

describe('an event that a table refuses', () => {
  test.each(['in the commit of the rows before it', 'after their commit'])(
    '%s is named, and all before it is in the view',
    async (when) => {
      const store = new MemoryEventStore()
      const history = new AccountHistory('Ada').open().accept(id, START_MS).settle(id, START_MS)
      await history.writeTo(store)
      const folder = temporaryFolder()
      if (when === 'after their commit') await (await viewsOf(store, folder)).close()
      const stream = accountStream(history.accountId)
      const events = await store.readStream({ stream, direction: 'forwards', limit: 100 })
      const accepted = events.find(({ type }) => type === 'RequestAccepted')
      if (accepted === undefined) throw new Error('no request was accepted')
      const { type, data, metadata } = accepted
      const between = requestId(START_MS, 'between')
      const after = requestId(START_MS, 'after')
      history.accept(between, START_MS).settle(between, START_MS)
      history.addRaw({ id: '00000000-0000-8000-8000-000000000002', type, data, metadata })
      await history.accept(after, START_MS).writeTo(store)
      const again = (await store.lastPosition()) - 1n

      const views = await viewsOf(store, folder)
      const requests = (await views.status()).find(({ name }) => name === 'requests')
      expect(requests).toMatchObject({ state: 'failed', position: again - 1n })
      expect(requests?.error).toContain(`event RequestAccepted at position ${again}`)
      expect((await views.views.request(id))?.status).toBe('finished')
      expect((await views.views.request(between))?.status).toBe('finished')
      expect(await views.views.request(after)).toBeUndefined()
    },
  )
})
