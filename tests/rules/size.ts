/** Bounds on files, functions and lines: what a reader can hold in the head. */
import { posix } from 'node:path'
import { isNode, lineOf, linesOf, parse, type SyntaxNode, visit } from './syntax.ts'
import { isTestCode, type SourceFile } from './workspace.ts'

export const FILE_LINES_MAX = 400
/** Of product code, without the folders within it. */
export const FOLDER_FILES_MAX = 15
export const FUNCTION_LINES_MAX = 70
export const LINE_COLUMNS_MAX = 100

/** A text cannot always be broken: a line of code may be long for the sake of one. */
const holdsText = /['"`]/
const isComment = /^\s*(\/\/|\/?\*)/
/** What a comment cannot break either: an address, and an example, which is indented. */
const holdsExample = /https?:\/\/|^\s*\* {4,}/
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

/** Folders with more product files than a reader takes in at a look, with how many they have. */
export function crowdedFolders(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const product = files.filter((file) => !isTestCode(file))
  const folders = Map.groupBy(product, ({ path }) => posix.dirname(path))
  const counts = [...folders].map(([folder, { length }]) => [folder, length] as const)
  return new Map(counts.filter(([, count]) => count > FOLDER_FILES_MAX))
}

export function longLines(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const columns = [...line].length
      const unbreakable = isComment.test(line) ? holdsExample : holdsText
      if (columns <= LINE_COLUMNS_MAX || unbreakable.test(line)) return []
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
      const whole = linesOf(file.text, node)
      if (whole <= FUNCTION_LINES_MAX) return
      const lines = whole - linesOfTests(file.text, node)
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
