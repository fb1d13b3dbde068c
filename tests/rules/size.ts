/** Bounds on files, functions and lines: what a reader can hold in the head. */
import { isNode, lineOf, linesOf, parse, type SyntaxNode, visit } from './syntax.ts'
import type { SourceFile } from './workspace.ts'

export const FILE_LINES_MAX = 400
export const FUNCTION_LINES_MAX = 70
export const LINE_COLUMNS_MAX = 100

/** A text cannot always be broken: a line may be long for the sake of one. */
const holdsText = /['"`]|https?:\/\//
const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
])
const testFrames = /^(describe|test|it|beforeEach|afterEach|beforeAll|afterAll)\b/

export function longFiles(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length
    return lines > FILE_LINES_MAX ? [`${path} has ${lines} lines`] : []
  })
}

export function longLines(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const columns = [...line].length
      if (columns <= LINE_COLUMNS_MAX || holdsText.test(line)) return []
      return [`${path}:${index + 1} has ${columns} columns`]
    }),
  )
}

/** A test counts for itself, not for the `describe` or the suite around it. */
export function longFunctions(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const found: string[] = []
    visit(parse(file), (node) => {
      if (!functionTypes.has(node.type)) return
      const lines = linesOf(file.text, node) - linesOfTests(file.text, node)
      if (lines > FUNCTION_LINES_MAX) {
        found.push(`${file.path}:${lineOf(file.text, node.start)} has a function of ${lines} lines`)
      }
    })
    return found
  })
}

/** The lines of the outermost calls to `describe`, `test` … within a node. */
function linesOfTests(text: string, node: SyntaxNode): number {
  return Object.values(node)
    .flat()
    .filter(isNode)
    .map((child) => (isTestFrame(text, child) ? linesOf(text, child) : linesOfTests(text, child)))
    .reduce((sum, lines) => sum + lines, 0)
}

function isTestFrame(text: string, node: SyntaxNode): boolean {
  return node.type === 'CallExpression' && testFrames.test(text.slice(node.start, node.end))
}
