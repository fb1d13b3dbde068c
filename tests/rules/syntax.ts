/** The syntax tree of a source file, read by the parser that comes with the test runner. */
import { parseSync } from 'vite'
import type { SourceFile } from './workspace.ts'

export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [property: string]: unknown
}

export interface Import {
  /** What is imported from: a relative path, a package or a builtin module. */
  readonly from: string
  /** The imported names; `*` when all or unknown. */
  readonly names: readonly string[]
  readonly line: number
}

/** @throws when the file has a syntax error */
export function parse(file: SourceFile): SyntaxNode {
  return parsed(file).program as unknown as SyntaxNode
}

/** Everything that a file imports or re-exports, statically or, by a literal name, dynamically. */
export function importsOf(file: SourceFile): readonly Import[] {
  const { module } = parsed(file)
  const lineAt = (offset: number) => lineOf(file.text, offset)
  const statics = module.staticImports.map(({ moduleRequest, entries, start }) => ({
    from: moduleRequest.value,
    names: entries.map(({ importName }) => importName.name ?? '*'),
    line: lineAt(start),
  }))
  const reexports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, start }) =>
      moduleRequest === null || moduleRequest === undefined
        ? []
        : [{ from: moduleRequest.value, names: [importName.name ?? '*'], line: lineAt(start) }],
    ),
  )
  const dynamics = module.dynamicImports.flatMap(({ moduleRequest, start }) => {
    const literal = /^(['"`])(.*)\1$/.exec(file.text.slice(moduleRequest.start, moduleRequest.end))
    return literal === null ? [] : [{ from: literal[2] ?? '', names: ['*'], line: lineAt(start) }]
  })
  return [...statics, ...reexports, ...dynamics]
}

/** The names that a file exports; those of `export * from` are not among them. */
export function exportsOf(file: SourceFile): readonly string[] {
  return parsed(file).module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) =>
      exportName.kind === 'Default' ? ['default'] : (exportName.name ?? []),
    ),
  )
}

/** Visits every node, parents before children. `parents` is outermost first. */
export function visit(
  node: SyntaxNode,
  enter: (node: SyntaxNode, parents: readonly SyntaxNode[]) => void,
  parents: readonly SyntaxNode[] = [],
): void {
  enter(node, parents)
  const inner = [...parents, node]
  for (const property of Object.values(node)) {
    if (isNode(property)) visit(property, enter, inner)
    if (!Array.isArray(property)) continue
    for (const child of property) if (isNode(child)) visit(child, enter, inner)
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Counted from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** How many lines a node takes. */
export function linesOf(text: string, node: SyntaxNode): number {
  return text.slice(node.start, node.end).split('\n').length
}

const results = new WeakMap<SourceFile, ReturnType<typeof parseSync>>()

/** Once for each file: several rules look at it. */
function parsed(file: SourceFile) {
  const known = results.get(file)
  if (known !== undefined) return known
  const result = parseSync(file.path, file.text)
  const error = result.errors[0]
  if (error !== undefined) throw new SyntaxError(`${file.path}: ${error.message}`)
  results.set(file, result)
  return result
}
