/** The page on structured output says what the code does. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formlessFormats, stringFormats } from '../pattern/string-format.ts'
import { numberFormats } from './demands.ts'
import { annotationKeywords, enforcedKeywords, refusedKeywords } from './keywords.ts'

const path = new URL('../../../../../docs/explanation/structured-output.md', import.meta.url)
const page = readFileSync(path, 'utf8')

/** The words in code style in the lists and in the first columns of tables under a heading. */
function wordsUnder(heading: string): readonly string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => /^[-|`]/.test(line))
  const listed = lines.map((line) => line.replace(/^(\| [^|]*\|).*$/, '$1')).join('\n')
  return [...listed.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '')
}

describe('the page on structured output', () => {
  it('lists the keywords that are enforced', () => {
    expect(wordsUnder('What is enforced')).toEqual(enforcedKeywords)
  })

  it('lists the formats', () => {
    const formats = [...stringFormats.keys(), ...numberFormats, ...formlessFormats]
    expect(wordsUnder('Formats')).toEqual(formats)
  })

  it('lists the keywords that demand nothing', () => {
    expect(wordsUnder('What says nothing')).toEqual(annotationKeywords)
  })

  it('lists the keywords that are refused, with the reason and the exception', () => {
    for (const { name, reason, exception } of refusedKeywords) {
      const cells = [`\`${name}\``, reason, exception ?? 'none'].map((cell) => `| ${cell} `)
      const row = page.split('\n').find((line) => line.startsWith(cells[0] ?? ''))
      expect(row?.replace(/ +/g, ' ')).toBe(`${cells.join('')}|`)
    }
    expect(wordsUnder('What is refused')).toEqual(refusedKeywords.map(({ name }) => name))
  })
})
