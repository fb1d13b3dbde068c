import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { expect, test } from 'vitest'
import { describeTextStore } from '../../../text-store/text-store.suite.ts'
import { fillStream, readWholeLog } from '../../compliance/fixtures.ts'
import { verifyLog } from '../../verify-log.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'

describeTextStore('eventstoredb, on its double,', async () => {
  const double = await EventStoreDbDouble.start()
  const store = await openEventStoreDb({ url: double.url })
  return {
    open: async () => store.texts,
    async remove() {
      await store.close()
      await double.close()
    },
  }
})

test('texts are no events of the log, and their erasure takes nothing from it', async () => {
  const double = await EventStoreDbDouble.start()
  const store = await openEventStoreDb({ url: double.url })
  await fillStream(store, 'account-1', 3)
  const word = await store.texts.keep('account-1', 'Ada')
  await store.texts.erase('account-1')
  await fillStream(store, 'account-2', 3)
  expect(await readWholeLog(store)).toHaveLength(6)
  expect((await verifyLog(store)).broken).toEqual([])
  await store.close()
  // A start refuses streams of the log that were shortened: those of the texts are none.
  const again = await openEventStoreDb({ url: double.url })
  expect(await readWholeLog(again)).toHaveLength(6)
  expect(await again.texts.find([word])).toEqual(new Map())
  expect(await again.texts.count('account-1')).toBe(0)
  await again.close()
  await double.close()
})
