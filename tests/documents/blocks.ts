/** The runnable blocks of a Markdown page. */

export interface DocumentBlock {
  /** The text of an `sh` block. */
  readonly commands: string
  /** The lines of the `text` block that follows it, if one does. */
  readonly expectedLines: readonly string[]
}

const FENCE = /^```(\w+)\n([\s\S]*?)^```$/gm

export function readBlocks(markdown: string): readonly DocumentBlock[] {
  const fences = [...markdown.matchAll(FENCE)].map(([, language, text = '']) => ({
    language,
    text,
  }))
  return fences.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return []
    const next = fences[index + 1]
    const expected = next?.language === 'text' ? next.text : ''
    return [{ commands: text, expectedLines: expected.split('\n').filter((line) => line !== '') }]
  })
}
