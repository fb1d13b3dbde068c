/**
 * Fixtures stand where they are used: what tests of several packages use is in `@svc/testing`; a
 * folder `testing` serves the folder that it stands in, and nothing outside of it.
 */
import { posix } from 'node:path'
import { importsOf } from './syntax.ts'
import type { SourceFile } from './workspace.ts'

const FIXTURES = /^(.*?\/)testing\//

export function fixtureBreaches(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ from, line }) => {
      const served = FIXTURES.exec(pathOf(file, from))?.[1]
      if (served === undefined || file.path.startsWith(served)) return []
      return [`${file.path}:${line} imports ${from}: what several use belongs in @svc/testing`]
    }),
  )
}

/** Of a file in another package: as its name says. */
function pathOf({ path }: SourceFile, from: string): string {
  if (from.startsWith('.')) return posix.join(posix.dirname(path), from)
  return from.startsWith('@svc/testing') ? '' : from
}
