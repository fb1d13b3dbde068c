/** Every sentence of the pages comes out of the catalogue. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '..')
/** Names of products, signs, and parts of numbers are the same in every language. */
const WORDLESS = /^[^a-z]*$|^\s*(\((OpenAI|Anthropic)\),?\.?|·)\s*/i

interface Node {
  readonly type: string
  readonly value?: unknown
}

function rawTexts(path: string, text: string): readonly string[] {
  const found: string[] = []
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, value } = node as Node
    if (type === 'JSXText' && typeof value === 'string' && !WORDLESS.test(value)) {
      found.push(`${path}: ${value.trim()}`)
    }
    for (const each of Object.values(node)) look(each)
  }
  look(parseSync(path, text).program)
  return found
}

test('no page has a text of its own', () => {
  const files = globSync('**/*.tsx', { cwd: SOURCES })
  expect(files.length).toBeGreaterThan(30)
  const texts = files.flatMap((path) => rawTexts(path, readFileSync(join(SOURCES, path), 'utf8')))
  expect(texts).toEqual([])
})

test('a breach is found', () => {
  expect(rawTexts('x.tsx', 'const x = <p>Hello <b>you</b></p>')).toHaveLength(2)
})
