/** Texts about people with the events on EventStoreDB: its gateways share them, and forget them. */
import { join } from 'node:path'
import { startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { verified } from '@svc/testing/verified'
import { withoutModel } from '@svc/testing/without-model'
import { expect, onTestFinished, test } from 'vitest'
import { expectErased, filesWithMarker, MARKER, openPersonalAccount, shownOf } from './erasure.ts'
import { newPrefix } from './server-story.ts'
import { startStoreUnderTest } from './store-under-test.ts'

test('two gateways show the same texts, and the same that they are erased', async () => {
  const store = await startStoreUnderTest(1)
  onTestFinished(() => store.stop())
  const environment = {
    EVENTSTORE_URL: store.url,
    SVC_EVENTSTORE_PREFIX: newPrefix(),
    ...(await withoutModel()),
  }
  const folders = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'data')]
  const [one, two] = await Promise.all([
    startRunningServer(environment, folders[0]),
    startRunningServer(environment, folders[1]),
  ])
  const account = await openPersonalAccount(one.operations)
  expect(await shownOf(two.operations, account)).toContain(`transfer of ${MARKER}`)
  expect((await account.again(two.operations)).map(({ created }) => created)).toEqual(
    Array(4).fill(false),
  )

  const erase = { account_id: account.accountId, reason: 'she asked for it' }
  let { texts: count } = await two.operations.eraseTexts(erase)
  expect(count).toBeGreaterThan(10)
  for (const subject of account.subjects) {
    const gone = await one.operations.eraseSubjectTexts({ subject, reason: 'she asked' })
    expect(gone.texts).toBeGreaterThan(0)
    count += gone.texts
  }
  for (const { operations } of [one, two]) {
    await expectErased(operations, account)
    const { broken, texts } = await verified(operations)
    expect([broken, texts.altered, texts.missing]).toEqual([[], [], []])
    expect(texts.erased).toBe(count)
  }
  expect(folders.flatMap((folder) => filesWithMarker(folder))).toEqual([])
  for (const { process: server } of [one, two]) await server.stop()
  // A start refuses a log with streams that were shortened: those of texts are no part of it.
  const later = await startRunningServer(environment, folders[0])
  await expectErased(later.operations, account)
  await later.process.stop()
})
