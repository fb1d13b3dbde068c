/**
 * Product code reads the clock and sets timers through the ports `Clock` and `Timer`, so that a
 * test moves time by hand. The real ones are in `infra/system`, and the server hands them out. How
 * long something took, by `performance.now()`, is no such time.
 */
import { importsOf, lineOf, parse, type SyntaxNode, visit } from './syntax.ts'
import { isTestCode, type SourceFile } from './workspace.ts'

const product = /^(contracts\/src|projections\/src|infra|services\/[a-z]+\/src)\//
/** Where the real ones are, where the parts are put together, and what runs in a browser. */
const exempt =
  /^(services\/dashboard\/src|infra\/system|infra\/demo-model\/training|services\/server\/src)\//

const timers = new Set(['setTimeout', 'setInterval'])
const timerModules = new Set(['node:timers', 'node:timers/promises'])

export function bareTimes(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => product.test(file.path) && !exempt.test(file.path) && !isTestCode(file))
    .flatMap((file) => [...bareImports(file), ...bareUses(file)])
}

function bareImports(file: SourceFile): readonly string[] {
  return importsOf(file).flatMap(({ from, names, line }) => {
    const bare = names.filter((name) => timers.has(name) || name === '*' || name === 'scheduler')
    if (!timerModules.has(from) || bare.length === 0) return []
    return [`${file.path}:${line} imports ${bare.join(', ')} of ${from}`]
  })
}

function bareUses(file: SourceFile): readonly string[] {
  const found: string[] = []
  visit(parse(file), (node) => {
    const what = bareUse(node)
    if (what === undefined) return
    found.push(`${file.path}:${lineOf(file.text, node.start)} uses ${what}`)
  })
  return found
}

function bareUse(node: SyntaxNode): string | undefined {
  if (node.type === 'NewExpression') {
    const isNow = nameOf(node.callee) === 'Date' && (node.arguments as unknown[]).length === 0
    return isNow ? 'new Date()' : undefined
  }
  if (node.type === 'MemberExpression') {
    const isNow = nameOf(node.object) === 'Date' && nameOf(node.property) === 'now'
    return isNow ? 'Date.now' : undefined
  }
  if (node.type !== 'CallExpression') return undefined
  const name = nameOf(node.callee)
  return name !== undefined && timers.has(name) ? name : undefined
}

function nameOf(value: unknown): string | undefined {
  const name = (value as SyntaxNode | null)?.name
  return typeof name === 'string' ? name : undefined
}
