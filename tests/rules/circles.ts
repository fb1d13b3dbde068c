/**
 * No circles: among files, and among the folders of a package, imports only ever lead down. A
 * circle is one thing in several places: whoever changes one of them has to know all of them.
 */
import { posix } from 'node:path'
import { importsOf } from './syntax.ts'
import { isTestCode, type SourceFile } from './workspace.ts'

/** Sorted paths, each of which leads to all others of the circle. */
export type Circle = readonly string[]

type Graph = ReadonlyMap<string, ReadonlySet<string>>

export function circlesOfFiles(files: readonly SourceFile[]): readonly Circle[] {
  return circlesIn(graphOf(files, (path) => path))
}

/** A folder stands for its own files: what lies in the folders inside it counts for those. */
export function circlesOfFolders(files: readonly SourceFile[]): readonly Circle[] {
  return circlesIn(graphOf(files, posix.dirname))
}

/** Relative imports are those within a package; another package is imported by its name. */
function graphOf(files: readonly SourceFile[], nodeOf: (path: string) => string): Graph {
  const graph = new Map<string, Set<string>>()
  for (const file of files.filter((each) => !isTestCode(each))) {
    const from = nodeOf(file.path)
    const targets = graph.get(from) ?? new Set()
    graph.set(from, targets)
    for (const { from: specifier } of importsOf(file)) {
      if (!specifier.startsWith('.')) continue
      const target = nodeOf(posix.join(posix.dirname(file.path), specifier))
      if (target !== from) targets.add(target)
    }
  }
  return graph
}

/** The strongly connected components of more than one node. */
function circlesIn(graph: Graph): readonly Circle[] {
  const reachable = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]))
  const circles = new Map<string, Circle>()
  for (const [node, targets] of reachable) {
    const circle = [...targets].filter((target) => reachable.get(target)?.has(node)).sort()
    if (circle.length > 1) circles.set(circle.join(), circle)
  }
  return [...circles.values()]
}

function reachableFrom(graph: Graph, start: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [start]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const target of graph.get(node) ?? []) {
      if (reached.has(target)) continue
      reached.add(target)
      waiting.push(target)
    }
  }
  return reached
}
