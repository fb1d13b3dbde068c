/** A thing with its properties, one per line. */
import { printable } from '../terminal.ts'

export function factsText(facts: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}\n`).join('')
}
