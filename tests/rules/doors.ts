/**
 * A package names its doors: what other packages may import of it, file by file. What is behind no
 * door is free to change. Node and the compiler refuse any other import of a package; this rule
 * keeps the doors few and in use.
 */
import { posix } from 'node:path'
import { importsOf } from './syntax.ts'
import type { Manifest, SourceFile } from './workspace.ts'

const NAMED = /['"`](@svc\/[\w-]+)\/([\w./-]+)['"`]/g

/** Doors that are patterns, that lead nowhere, or that nobody outside the package imports. */
export function needlessDoors(
  files: readonly SourceFile[],
  manifests: readonly Manifest[],
): readonly string[] {
  const paths = new Set(files.map(({ path }) => path))
  const importers = importersOf(files)
  return doors(manifests).flatMap(({ manifest, name, file }) => {
    const folder = posix.dirname(manifest.path)
    const problem = (text: string) => [`${manifest.path}: the door ${name} ${text}`]
    if (name.includes('*')) return problem('is a pattern')
    if (!paths.has(posix.join(folder, file))) return problem(`leads to no file: ${file}`)
    const outside = (importers.get(name) ?? []).filter((path) => !path.startsWith(`${folder}/`))
    return outside.length === 0 ? problem('is used by no other package') : []
  })
}

/** Imports of another package past its doors, and of the own package by its name. */
export function doorBreaches(
  files: readonly SourceFile[],
  manifests: readonly Manifest[],
): readonly string[] {
  const names = new Set(doors(manifests).map(({ name }) => name))
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ from }) => from.startsWith('@svc/'))
      .flatMap(({ from, line }) => {
        const folder = folderOf(from, manifests)
        const isOwn = folder !== undefined && file.path.startsWith(`${folder}/`)
        if (isOwn) return [`${file.path}:${line} imports ${from}: the own package, by a path`]
        return names.has(from) ? [] : [`${file.path}:${line} imports ${from}: it is no door`]
      }),
  )
}

interface Door {
  readonly manifest: Manifest
  /** As it is imported. */
  readonly name: string
  /** From the folder of the package. */
  readonly file: string
}

function doors(manifests: readonly Manifest[]): readonly Door[] {
  return manifests.flatMap((manifest) =>
    Object.entries(manifest.exports ?? {}).map(([door, file]) => ({
      manifest,
      name: posix.join(manifest.name, door),
      file,
    })),
  )
}

function folderOf(from: string, manifests: readonly Manifest[]): string | undefined {
  const found = manifests.find(({ name }) => from === name || from.startsWith(`${name}/`))
  return found && posix.dirname(found.path)
}

/** By the name of a door: the files that name it, in an import or for a program to be started. */
function importersOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const { path, text } of files) {
    for (const [, name, door] of text.matchAll(NAMED)) {
      const key = `${name}/${door}`
      importers.set(key, [...(importers.get(key) ?? []), path])
    }
  }
  return importers
}
