/** Puts texts in where an answer has words (`kept-text.ts`), whatever the answer's shape is. */
import { ALTERED_TEXT, ERASED_TEXT, wordsIn } from '../../kept-text.ts'
import { type TextStore, WORDS_MAX } from './text-store.ts'

type Texts = Pick<TextStore, 'find'>

/**
 * @param answer plain data, as JSON can hold it; what it is made of stays as it is
 * @returns the answer itself when it has no words
 * @throws {StoreUnavailableError} when the texts cannot be read now
 */
export async function withTextsShown<Answer>(texts: Texts, answer: Answer): Promise<Answer> {
  const words = new Set<string>()
  collectWords(answer, words)
  if (words.size === 0) return answer
  const shown = new Map<string, string>()
  const asked = [...words]
  for (let at = 0; at < asked.length; at += WORDS_MAX) {
    const some = asked.slice(at, at + WORDS_MAX)
    const found = await texts.find(some)
    for (const word of some) {
      const { text = ERASED_TEXT, isIntact = true } = found.get(word) ?? {}
      shown.set(word, isIntact ? text : ALTERED_TEXT)
    }
  }
  return replaced(answer, shown) as Answer
}

function collectWords(value: unknown, words: Set<string>): void {
  if (typeof value === 'string') {
    for (const word of wordsIn(value)) words.add(word)
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collectWords(part, words)
  }
}

function replaced(value: unknown, shown: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return wordsIn(value).reduce(
      (text, word) => text.replaceAll(word, () => shown.get(word) ?? ''),
      value,
    )
  }
  if (Array.isArray(value)) return value.map((part) => replaced(part, shown))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, replaced(part, shown)]),
  )
}
