/** What every text store must do. */
import { ERASED_TEXT, hashOfText, readKeptText } from '@svc/contracts/kept-text'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import {
  TEXT_CHARACTERS_MAX,
  type TextStore,
  TextsErasedError,
} from '@svc/contracts/ports/text-store'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

export interface TextStoreUnderTest {
  open(): Promise<TextStore>
  /** Changes a text where it lies, behind the back of a store that is closed. */
  alter?(word: string, text: string): Promise<void>
  remove?(): Promise<void>
}

export function describeTextStore(name: string, make: () => Promise<TextStoreUnderTest>): void {
  describe(`${name} as a text store`, () => {
    let state: TextStoreUnderTest
    let store: TextStore
    let owners = 0
    const newOwner = () => `acct_${++owners}`

    beforeAll(async () => {
      state = await make()
      store = await state.open()
    })
    afterAll(async () => {
      await store.close()
      await state.remove?.()
    })

    async function shown(word: string): Promise<string> {
      return withTextsShown(store, word)
    }

    test('gives back what was kept, by a word that shows nothing of it', async () => {
      const owner = newOwner()
      const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(texts, async (some) => {
          const words: string[] = []
          for (const text of some) words.push(await store.keep(owner, text))
          expect(await withTextsShown(store, words)).toEqual(
            some.map((text) => text.toWellFormed()),
          )
          for (const word of words) expect(readKeptText(word)?.owner).toBe(owner)
        }),
        { numRuns: 10 },
      )
    })

    test('has one hash for one text of an owner, and another for another owner', async () => {
      const [one, two] = [newOwner(), newOwner()]
      const words = await Promise.all([
        store.keep(one, 'Ada'),
        store.keep(one, 'Ada'),
        store.keep(one, 'Bob'),
        store.keep(two, 'Ada'),
      ])
      const hashes = words.map((word) => readKeptText(word)?.hash)
      expect(new Set(words).size).toBe(4)
      expect(hashes[0]).toBe(hashes[1])
      expect(new Set(hashes).size).toBe(3)
      expect(hashes).not.toContain(hashOfText(new Uint8Array(), 'Ada'))
    })

    test('finds nothing by a word that it never gave', async () => {
      const word = await store.keep(newOwner(), 'Ada')
      const foreign = word.replace(/\/[0-9a-f]{16}\//, '/0123456789abcdef/')
      expect([...(await store.find([foreign, 'Ada', 'text:x/y/z']))]).toEqual([])
      const otherHash = `${word.slice(0, -64)}${'0'.repeat(64)}`
      expect((await store.find([otherHash])).get(otherHash)?.isIntact).toBe(false)
    })

    test('erases all texts of an owner, and no others', async () => {
      const [one, two] = [newOwner(), newOwner()]
      const words = [await store.keep(one, 'Ada'), await store.keep(one, 'Lovelace')]
      const other = await store.keep(two, 'Ada')
      expect(await store.count(one)).toBe(2)
      expect(await store.erase(one)).toBe(2)
      expect(await store.count(one)).toBe(0)
      expect(await withTextsShown(store, { words, other })).toEqual({
        words: [ERASED_TEXT, ERASED_TEXT],
        other: 'Ada',
      })
      expect(await store.erase(one)).toBe(0)
    })

    test('keeps no text of an owner who was erased, also of one who had none', async () => {
      const [one, two] = [newOwner(), newOwner()]
      const before = await store.keep(one, 'Ada')
      expect(await store.erase(one, two)).toBe(1)
      for (const owner of [one, two]) {
        await expect(store.keep(owner, 'Ada')).rejects.toThrow(TextsErasedError)
        const again = await store.wordFor(owner, 'Ada')
        expect(readKeptText(again)?.hash).not.toBe(readKeptText(before)?.hash)
        expect(await store.count(owner)).toBe(0)
      }
      expect(await shown(before)).toBe(ERASED_TEXT)
    })

    test('leaves nothing behind of what comes while an owner is erased', async () => {
      const owner = newOwner()
      await store.keep(owner, 'Ada')
      const coming = Array.from({ length: 8 }, () => store.keep(owner, 'Ada'))
      const [, ...kept] = await Promise.allSettled([store.erase(owner), ...coming])
      const words = kept.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      expect(await withTextsShown(store, words)).toEqual(words.map(() => ERASED_TEXT))
      expect(await store.count(owner)).toBe(0)
    })

    test('compares a text with those that were kept, and keeps nothing for it', async () => {
      const owner = newOwner()
      const hashFor = async (text: string) => readKeptText(await store.wordFor(owner, text))?.hash
      const before = await hashFor('Ada')
      expect(await store.count(owner)).toBe(0)
      const kept = readKeptText(await store.keep(owner, 'Ada'))?.hash
      expect(before).not.toBe(kept)
      expect([await hashFor('Ada'), (await hashFor('Bob')) === kept]).toEqual([kept, false])
      expect(await store.count(owner)).toBe(1)
    })

    test('gives all texts of an owner one salt, also when they come at once', async () => {
      const owner = newOwner()
      const words = await Promise.all(Array.from({ length: 8 }, () => store.keep(owner, 'Ada')))
      expect(new Set(words.map((word) => readKeptText(word)?.hash)).size).toBe(1)
      expect(new Set(words).size).toBe(8)
      expect(await store.count(owner)).toBe(8)
    })

    test('refuses a text that is too long, and what cannot be an owner', async () => {
      const tooLong = 'x'.repeat(TEXT_CHARACTERS_MAX + 1)
      await expect(store.keep(newOwner(), tooLong)).rejects.toThrow(RangeError)
      for (const owner of ['', 'a/b', 'Ada Lovelace', 'x'.repeat(101)]) {
        await expect(store.keep(owner, 'text')).rejects.toThrow(RangeError)
      }
      const longest = await store.keep(newOwner(), '€'.repeat(TEXT_CHARACTERS_MAX))
      expect(await shown(longest)).toHaveLength(TEXT_CHARACTERS_MAX)
    })

    test('still has what was kept, and lacks what was erased, when it is opened again', async () => {
      const [one, two] = [newOwner(), newOwner()]
      const [kept, erased] = [await store.keep(one, 'Ada'), await store.keep(two, 'Bob')]
      await store.erase(two)
      await store.close()
      await store.close()
      store = await state.open()
      expect(await withTextsShown(store, [kept, erased])).toEqual(['Ada', ERASED_TEXT])
      const again = await store.keep(one, 'Ada')
      expect(readKeptText(again)?.hash).toBe(readKeptText(kept)?.hash)
    })

    test('tells a text that was altered', async () => {
      if (state.alter === undefined) return
      const word = await store.keep(newOwner(), 'Ada')
      await store.close()
      await state.alter(word, 'Eve')
      store = await state.open()
      expect((await store.find([word])).get(word)).toEqual({ text: 'Eve', isIntact: false })
      expect(await shown(word)).toBe('altered')
    })
  })
}
