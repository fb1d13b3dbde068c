/**
 * A message of a log is constant, so that an operator can search for it and an alert can wait for
 * it: what varies stands in fields.
 */
import { isNode, lineOf, parse, type SyntaxNode, visit } from './syntax.ts'
import { isTestCode, type SourceFile } from './workspace.ts'

const levels = new Set(['debug', 'info', 'warn', 'error', 'fatal'])
/** `logger`, `ports.log`, `this.#warnings`. */
const logName = /^(log|logger|warnings)$/

export function variedLogMessages(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => !isTestCode(file))
    .flatMap((file) => {
      const found: string[] = []
      visit(parse(file), (node) => {
        if (node.type !== 'CallExpression' || !isOfLog(node.callee as SyntaxNode)) return
        if (!(node.arguments as readonly SyntaxNode[]).some(isMadeUp)) return
        found.push(`${file.path}:${lineOf(file.text, node.start)} logs a message that varies`)
      })
      return found
    })
}

function isOfLog(callee: SyntaxNode): boolean {
  if (callee.type !== 'MemberExpression') return false
  const { object, property } = callee as unknown as Record<string, SyntaxNode>
  if (property === undefined || object === undefined) return false
  return levels.has(nameOf(property)) && logName.test(nameOf(object))
}

/** The last name of `a`, `a.b` and `a.#b`. */
function nameOf({ name, property }: SyntaxNode): string {
  if (typeof name === 'string') return name
  return isNode(property) ? nameOf(property) : ''
}

/** A text with something put in, or texts added up. */
function isMadeUp({ type, expressions }: SyntaxNode): boolean {
  if (type === 'BinaryExpression') return true
  return type === 'TemplateLiteral' && Array.isArray(expressions) && expressions.length > 0
}
