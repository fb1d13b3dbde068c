import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * @param path whose last name need not be there yet
 * @returns the path without symbolic links, so that one place has one name
 * @throws what the system says when the folder of the last name is not there
 */
export function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
}
