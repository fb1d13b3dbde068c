/**
 * The rooms of the worker import one way, so that an engine, a model family or a grammar can be
 * read, tested and replaced by itself. What an engine has in its folder only the worker's own files
 * name: everybody else knows the port. The grammar has one door.
 */
import { posix } from 'node:path'
import { importsOf } from './syntax.ts'
import { isTestCode, type SourceFile } from './workspace.ts'

const ROOT = 'services/worker/src/'
const GRAMMAR_DOOR = `${ROOT}grammar/grammar.ts`

/** From the bottom up: each room, and those that it may import. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  process: [],
  grammar: [],
  protocol: ['process'],
  engines: ['process'],
  'engines/*': ['engines', 'process'],
  gpu: ['engines', 'process'],
  prompt: ['engines', 'grammar', 'process'],
  'prefix-cache': ['engines', 'process'],
  scheduling: ['engines', 'prefix-cache', 'process', 'prompt', 'protocol'],
  plans: ['engines', 'grammar', 'process', 'prompt', 'protocol', 'scheduling'],
  settings: ['engines', 'grammar', 'prefix-cache', 'process', 'protocol', 'scheduling'],
  supervision: ['process'],
}

export function roomBreaches(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith(ROOT) && !path.includes('/fixtures/'))
    .filter((file) => !isTestCode(file))
    .flatMap((file) =>
      importsOf(file).flatMap(({ from, line }) => {
        const target = posix.join(posix.dirname(file.path), from)
        if (!from.startsWith('.') || mayImport(file.path, target)) return []
        return [`${file.path}:${line} imports ${from}: not a room that it may know`]
      }),
    )
}

function mayImport(path: string, targetPath: string): boolean {
  const [room, target] = [roomOf(path), roomOf(targetPath)]
  if (room === target) return true
  if (target === 'grammar' && targetPath !== GRAMMAR_DOOR) return false
  const allowed = rooms[room] ?? rooms[room.replace(/\/.*/, '/*')] ?? []
  return room === '' || allowed.includes(target)
}

/** @returns the folder; with its own for an engine, and empty for a file of the worker itself */
function roomOf(path: string): string {
  const [first = '', second, ...rest] = path.slice(ROOT.length).split('/')
  if (second === undefined) return ''
  return first === 'engines' && rest.length > 0 ? `${first}/${second}` : first
}
