/** A thing with its properties, one per line; for a person long ones are wrapped between words. */

import { printable } from '@svc/contracts/printable'
import { textWidth } from './text-width.ts'

export type Fact = readonly [name: string, value: string]

const GAP = '  '
/** A terminal that leaves less than this may break the lines itself. */
const VALUE_WIDTH_MIN = 20

/** @param widthMax of a line; default: as long as the value is */
export function factsText(facts: readonly Fact[], widthMax = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...facts.map(([name]) => textWidth(name)))
  const indent = ' '.repeat(width) + GAP
  const room = Math.max(VALUE_WIDTH_MIN, widthMax - textWidth(indent))
  return facts
    .map(([name, value]) => {
      const lines = wrapped(printable(value), room)
      return `${name.padEnd(width)}${GAP}${lines.join(`\n${indent}`)}\n`
    })
    .join('')
}

/** A word that is wider than a line, such as a secret, stays whole. */
function wrapped(text: string, width: number): readonly string[] {
  if (textWidth(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && textWidth(longer) > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}
