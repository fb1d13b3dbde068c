/** No dead files, and no exports that nothing imports: they would be read and kept up in vain. */
import { posix } from 'node:path'
import { exportsOf, importsOf } from './syntax.ts'
import { isExample, type Manifest, type SourceFile } from './workspace.ts'

/** Run by vitest, not imported. */
const testFile = /\.(test|suite)\.ts$|(^|\/)(vitest|vite)\.config\.ts$/
/** A program, thread or preload is named in a text: a URL, an npm script, a command to type. */
const namedFile = /[\w./-]*\/?[\w-]+\.(?:tsx?|js|mjs)\b/g

/**
 * @param files all of the workspace: scripts and configurations name programs too
 * @returns code files that no other file imports or names
 */
export function deadFiles(
  code: readonly SourceFile[],
  files: readonly SourceFile[],
  manifests: readonly Manifest[],
): readonly string[] {
  const used = new Set<string>()
  for (const file of code) {
    for (const { from } of importsOf(file)) used.add(targetOf(file.path, from, manifests) ?? '')
  }
  const names = new Map(files.map(({ path, text }) => [path, namesIn(text)]))
  const isNamed = ({ path }: SourceFile) =>
    [...names].some(([from, found]) => from !== path && found.has(posix.basename(path)))
  return code
    .filter((file) => !isExample(file) && !testFile.test(file.path))
    .filter((file) => !used.has(file.path) && !isNamed(file))
    .map(({ path }) => path)
}

/**
 * A type that the file itself uses may be exported all the same: it says what a function takes or
 * gives, and who calls it may want to name that.
 *
 * @returns `path: name` of each export that no other file imports, tests included
 */
export function unusedExports(
  code: readonly SourceFile[],
  manifests: readonly Manifest[],
): readonly string[] {
  const used = new Map<string, Set<string>>()
  for (const file of code) {
    for (const { from, names } of importsOf(file)) {
      const target = targetOf(file.path, from, manifests)
      if (target === undefined) continue
      const known = used.get(target) ?? new Set()
      for (const name of names) known.add(name)
      used.set(target, known)
    }
  }
  return code
    .filter((file) => !isExample(file) && !testFile.test(file.path))
    .flatMap((file) => {
      const known = used.get(file.path)
      if (known?.has('*') === true) return []
      return exportsOf(file)
        .filter((name) => name !== 'default' && known?.has(name) !== true)
        .filter((name) => !isTypeInUse(file, name))
        .map((name) => `${file.path}: ${name}`)
    })
}

function isTypeInUse({ text }: SourceFile, name: string): boolean {
  const isType = new RegExp(`^export (interface|type) ${name}\\b`, 'm').test(text)
  return isType && text.split(new RegExp(`\\b${name}\\b`)).length > 2
}

function namesIn(text: string): ReadonlySet<string> {
  const imported = /^(import|export)\b[^'"]*['"][^'"\n]*['"]$/gm
  return new Set(
    [...text.replace(imported, '').matchAll(namedFile)].map(([name]) => posix.basename(name)),
  )
}

/** The file that an import leads to; undefined outside of the workspace. */
function targetOf(path: string, from: string, manifests: readonly Manifest[]): string | undefined {
  if (from.startsWith('.')) return posix.join(posix.dirname(path), from)
  const owner = manifests.find(({ name }) => from.startsWith(`${name}/`))
  if (owner === undefined) return undefined
  const door = `.${from.slice(owner.name.length)}`
  for (const [name, place] of Object.entries(owner.exports ?? {})) {
    const folder = posix.dirname(owner.path)
    if (name === door) return posix.join(folder, place)
    const [before = '', after] = name.split('*')
    if (after === undefined || !door.startsWith(before) || !door.endsWith(after)) continue
    const inside = door.slice(before.length, door.length - after.length)
    return posix.join(folder, place.replace('*', inside))
  }
  return undefined
}
