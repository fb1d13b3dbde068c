/**
 * No object literal is spread into another. It saves lines, and costs a check: the compiler
 * refuses an unknown field in a literal, and lets it through in what is spread.
 */
import { isNode, lineOf, parse, visit } from './syntax.ts'
import type { SourceFile } from './workspace.ts'

/** @returns `path:line` of each `...{ a, b }` in an object, and `{...{ a, b }}` in an element */
export function spreadLiterals(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const found: string[] = []
    visit(parse(file), ({ type, argument, start }, parents) => {
      const isInObject = parents.at(-1)?.type === 'ObjectExpression' && type === 'SpreadElement'
      if (!isInObject && type !== 'JSXSpreadAttribute') return
      if (!isNode(argument) || argument.type !== 'ObjectExpression') return
      found.push(`${file.path}:${lineOf(file.text, start)}`)
    })
    return found
  })
}
