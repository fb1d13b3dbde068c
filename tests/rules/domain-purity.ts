/**
 * The domain reads no clock, sets no timer, draws no lots and does no I/O: all of that comes in
 * through ports, so that every decision can be repeated and every history replayed.
 */
import { importsOf, lineOf, parse, type SyntaxNode, visit } from './syntax.ts'
import { isTestCode, type SourceFile } from './workspace.ts'

const domain = /^(contracts\/src|services\/ledger\/src\/account|projections\/src\/views)\//

/**
 * Builtin modules that are pure, or that a view is made of, and the names that may be used of them.
 */
const allowedModules: Readonly<Record<string, readonly string[] | 'all'>> = {
  // Signatures are of Ed25519 only: the same key and text always give the same one.
  'node:crypto': ['hash', 'createPrivateKey', 'createPublicKey', 'KeyObject', 'sign', 'verify'],
  'node:buffer': ['isUtf8'],
  'node:sqlite': 'all',
}

const impureGlobals = new Set([
  'Date',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'process',
  'crypto',
  'fetch',
  'globalThis',
  'require',
])

export function impurities(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => domain.test(file.path) && !isTestCode(file))
    .flatMap((file) => [...impureImports(file), ...impureReferences(file)])
}

function impureImports(file: SourceFile): readonly string[] {
  return importsOf(file).flatMap(({ from, names, line }) => {
    if (!from.startsWith('node:')) return []
    const allowed = allowedModules[from] ?? []
    if (allowed === 'all' || names.every((name) => allowed.includes(name))) return []
    return [`${file.path}:${line} imports ${names.join(', ')} of ${from} in domain code`]
  })
}

function impureReferences(file: SourceFile): readonly string[] {
  const found: string[] = []
  visit(parse(file), (node, parents) => {
    const name = impureName(node, parents.at(-1))
    if (name === undefined) return
    found.push(`${file.path}:${lineOf(file.text, node.start)} uses ${name} in domain code`)
  })
  return found
}

function impureName(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  if (node.type === 'MemberExpression' && nameOf(node.object) === 'Math') {
    return memberName(node) === 'random' ? 'Math.random' : undefined
  }
  if (node.type !== 'Identifier' || isMemberOrKey(node, parent)) return undefined
  const name = nameOf(node)
  return name !== undefined && impureGlobals.has(name) ? name : undefined
}

/** Whether an identifier is a name within something else: `x.process`, `{ process: 1 }`. */
function isMemberOrKey(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent === undefined || parent.computed === true) return false
  if (parent.shorthand === true) return false
  return parent.property === node || parent.key === node
}

function memberName(node: SyntaxNode): unknown {
  const property = node.property as SyntaxNode
  return property.type === 'Literal' ? property.value : property.name
}

function nameOf(value: unknown): string | undefined {
  const name = (value as SyntaxNode | null)?.name
  return typeof name === 'string' ? name : undefined
}
