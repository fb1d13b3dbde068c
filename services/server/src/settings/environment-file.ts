/** The settings' environment: what the process has, and below it what a file says. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { SettingsError } from './parsed-settings.ts'

/**
 * @param file of `NAME=value` lines; the environment wins over it
 * @throws {SettingsError} when it cannot be read
 */
export function environmentOf(file: string | undefined): NodeJS.Dict<string> {
  return file === undefined ? process.env : { ...parseEnv(textOf(file)), ...process.env }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new SettingsError(`--env-file: there is no file ${file}`)
    throw new SettingsError(`--env-file: ${file} cannot be read (${code})`)
  }
}
