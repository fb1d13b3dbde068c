/** A Node of this machine that is older than the one that the project brings. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runToEnd } from './bounded-run.ts'

export const NEEDED_MAJOR = 26
/** The oldest Node that the README promises to start on. */
const OLDEST_MAJOR = 20
const usualFolders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
const foldersOfPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
/** Without those that npm puts in front for its scripts, this test's run among them. */
const foldersOfUser = foldersOfPath.filter((folder) => !folder.includes('node_modules'))

/** The folder of its `node`; undefined when this machine has none. */
export const olderNodeFolder = [...foldersOfUser, ...usualFolders].find((folder) => {
  const major = majorOfNodeIn(folder)
  return major >= OLDEST_MAJOR && major < NEEDED_MAJOR
})

/** What a user's shell has who installed the older Node: its `node` is the first. */
export const pathOfOlderNode = [olderNodeFolder, ...foldersOfUser].join(delimiter)

function majorOfNodeIn(folder: string): number {
  const node = join(folder, 'node')
  if (!existsSync(node)) return 0
  const version = runToEnd(node, ['--version']).stdout
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0)
}
