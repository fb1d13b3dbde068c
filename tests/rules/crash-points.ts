/**
 * The kill test is only as good as its places: each one that is named is reached by the product,
 * and the product reaches none under another name.
 */
import { lineOf, parse, type SyntaxNode, visit } from './syntax.ts'
import { isTestCode, type SourceFile } from './workspace.ts'

/** How the port is called wherever it is held: `reach(…)`, `this.#reachCrashPoint(…)`. */
const portName = /^reach(CrashPoint)?$/

/** @param names of all crash points */
export function crashPointBreaches(
  files: readonly SourceFile[],
  names: readonly string[],
): readonly string[] {
  const reached = files.filter((file) => !isTestCode(file)).flatMap(pointsOf)
  const seen = new Set(reached.map(({ point }) => point))
  return [
    ...names.filter((name) => !seen.has(name)).map((name) => `${name} is reached nowhere`),
    ...reached
      .filter(({ point }) => point === undefined || !names.includes(point))
      .map(({ point, place }) => `${place} reaches ${point ?? 'what only a run can tell'}`),
  ]
}

interface ReachedPoint {
  /** Undefined when it is no literal text. */
  readonly point: string | undefined
  readonly place: string
}

function pointsOf(file: SourceFile): readonly ReachedPoint[] {
  if (!file.text.includes('reach')) return []
  const found: ReachedPoint[] = []
  visit(parse(file), (node) => {
    if (node.type !== 'CallExpression' || !portName.test(calledName(node))) return
    const [argument] = node.arguments as readonly SyntaxNode[]
    const point = argument?.type === 'Literal' ? String(argument.value) : undefined
    found.push({ point, place: `${file.path}:${lineOf(file.text, node.start)}` })
  })
  return found
}

/** `f` of `f()`, `a.f()` and `a.#f()`. */
function calledName(call: SyntaxNode): string {
  const callee = call.callee as SyntaxNode
  const named = callee.type === 'MemberExpression' ? (callee.property as SyntaxNode) : callee
  return typeof named.name === 'string' ? named.name : ''
}
