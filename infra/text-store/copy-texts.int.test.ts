/** Texts that go from store to store: every word fits afterwards, in each of them. */
import { join } from 'node:path'
import { TEXT_CHARACTERS_MAX, TextsErasedError } from '@svc/contracts/ports/text-store'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { openEventStoreDb } from '../event-store/eventstoredb/open-eventstoredb.ts'
import { compareTexts, copyTexts, TextsDifferError } from './copy-texts.ts'
import { openSqliteTextStore } from './sqlite/sqlite-text-store.ts'

function sqliteTexts(name: string) {
  const onFatal = (error: unknown) => {
    throw error
  }
  const store = openSqliteTextStore(join(temporaryFolder(), name), { onFatal })
  onTestFinished(() => store.close())
  return store
}

async function serverTexts() {
  const double = await EventStoreDbDouble.start()
  onTestFinished(() => double.close())
  const store = await openEventStoreDb({ url: double.url })
  onTestFinished(() => store.close())
  return store.texts
}

async function done(copy: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown
  for await (const each of copy) last = each
  return last
}

test('three stores, one after the other, each of which adds to them', async () => {
  const first = sqliteTexts('first.db')
  const words = new Map<string, string>()
  const keep = async (store: typeof first, owner: string, text: string) =>
    void words.set(await store.keep(owner, text), text)
  // These are more than a page of the server, and longer together than one append takes.
  for (let at = 0; at < 260; at += 1) await keep(first, 'acct_1', `text ${at}`)
  for (let at = 0; at < 70; at += 1) await keep(first, 'acct_2', 'x'.repeat(TEXT_CHARACTERS_MAX))
  const erased = await first.keep('acct_3', 'Bob')
  await first.erase('acct_3', 'acct_4')

  const second = await serverTexts()
  expect(await done(copyTexts(first, second))).toEqual({ owners: 4, texts: 330 })
  expect(await done(copyTexts(first, second))).toEqual({ owners: 4, texts: 330 })
  expect(await done(compareTexts(first, second))).toEqual({ owners: 4, texts: 330 })
  for (let at = 0; at < 5; at += 1) await keep(second, 'acct_1', `on the server ${at}`)
  await keep(second, 'acct_5', 'came later')
  expect(await second.count('acct_1')).toBe(265)

  const third = sqliteTexts('third.db')
  await done(copyTexts(second, third))
  await keep(third, 'acct_1', 'back in a file')
  const fourth = await serverTexts()
  await done(copyTexts(third, fourth))
  await keep(fourth, 'acct_1', 'on another server')
  await keep(fourth, 'acct_5', 'on another server')

  const found = await fourth.find([...words.keys(), erased])
  expect(new Map([...found].map(([word, { text }]) => [word, text]))).toEqual(words)
  expect([...found.values()].every(({ isIntact }) => isIntact)).toBe(true)
  for (const owner of ['acct_3', 'acct_4']) {
    await expect(fourth.keep(owner, 'Bob')).rejects.toThrow(TextsErasedError)
  }
  expect(await fourth.erase('acct_1')).toBe(267)
  expect((await fourth.find(words.keys())).size).toBe(72)
})

test('other texts of an owner are no copy', async () => {
  const [first, server] = [sqliteTexts('first.db'), await serverTexts()]
  await first.keep('acct_1', 'Ada')
  await server.keep('acct_1', 'Ada')
  await expect(done(copyTexts(first, server))).rejects.toThrow(RangeError)
  const second = sqliteTexts('second.db')
  await done(copyTexts(first, second))
  await second.keep('acct_1', 'Eve')
  await expect(done(compareTexts(first, second))).rejects.toThrow(TextsDifferError)
})

test('a copy that lacks an owner, or has one more, is none', async () => {
  const [first, second] = [sqliteTexts('first.db'), sqliteTexts('second.db')]
  await first.keep('acct_1', 'Ada')
  await expect(done(compareTexts(first, second))).rejects.toThrow(TextsDifferError)
  await done(copyTexts(first, second))
  await done(compareTexts(first, second))
  await second.keep('acct_2', 'Eve')
  await expect(done(compareTexts(first, second))).rejects.toThrow(TextsDifferError)
})
