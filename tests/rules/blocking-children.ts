/**
 * A test that waits for a child process with its thread blocked cannot be timed out by Vitest: a
 * child that never ends would hang the whole run.
 */
import { isNode, lineOf, parse, type SyntaxNode, visit } from './syntax.ts'
import { isTestCode, type SourceFile } from './workspace.ts'

const blocking = new Set(['spawnSync', 'execFileSync', 'execSync'])

/** Calls in test code that wait for a child process without a `timeout`. */
export function unboundedChildren(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => isTestCode(file) && /(spawn|exec|execFile)Sync/.test(file.text))
    .flatMap((file) => {
      const found: string[] = []
      visit(parse(file), (node) => {
        if (node.type !== 'CallExpression') return
        const name = nameOf(node.callee as SyntaxNode)
        if (!blocking.has(name) || (node.arguments as readonly SyntaxNode[]).some(hasTimeout))
          return
        found.push(`${file.path}:${lineOf(file.text, node.start)} ${name} without timeout`)
      })
      return found
    })
}

/** The last name of `a` and `a.b`. */
function nameOf({ name, property }: SyntaxNode): string {
  if (typeof name === 'string') return name
  return isNode(property) ? nameOf(property) : ''
}

function hasTimeout({ type, properties }: SyntaxNode): boolean {
  if (type !== 'ObjectExpression') return false
  return (properties as readonly SyntaxNode[]).some(
    ({ key }) => isNode(key) && nameOf(key) === 'timeout',
  )
}
