/** The runnable blocks of a Markdown page. */

export interface DocumentBlock {
  /** The text of an `sh` block. */
  readonly commands: string
  /** The lines of the `text` block that follows it, if one does. */
  readonly expectedLines: readonly string[]
}

const FENCE = /^```(\w+)\n([\s\S]*?)^```$/gm

/** The texts of all blocks of a language. */
export function textsIn(markdown: string, language: string): readonly string[] {
  return fencesOf(markdown).flatMap((fence) => (fence.language === language ? [fence.text] : []))
}

export function readBlocks(markdown: string): readonly DocumentBlock[] {
  const fences = fencesOf(markdown)
  return fences.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return []
    const next = fences[index + 1]
    const expected = next?.language === 'text' ? next.text : ''
    return [{ commands: text, expectedLines: expected.split('\n').filter((line) => line !== '') }]
  })
}

function fencesOf(markdown: string) {
  return [...markdown.matchAll(FENCE)].map(([, language, text = '']) => ({ language, text }))
}
