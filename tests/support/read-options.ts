/** The options of a script that measures or torments: told on request, and when one is mistyped. */
import { relative } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

const EXIT_USAGE = 2

/**
 * Reads the command line. Ends the process with the usage, by 0 when `--help` asks for it and by 2
 * when an option is unknown or lacks its value.
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    if (process.argv.slice(2).includes('--help')) end(0, usageOf(options))
    return parseArgs({ options }).values
  } catch (error) {
    return end(EXIT_USAGE, `${error instanceof Error ? error.message : error}\n${usageOf(options)}`)
  }
}

function usageOf(options: ParseArgsOptionsConfig): string {
  const words = Object.entries(options).map(([name, { type, default: value }]) =>
    type === 'boolean' ? `[--${name}]` : `[--${name} ${value || name.toUpperCase()}]`,
  )
  return `usage: node ${relative('.', process.argv[1] ?? '')} ${words.join(' ')}`
}

function end(code: number, text: string): never {
  const stream = code === 0 ? process.stdout : process.stderr
  stream.write(`${text}\n`)
  process.exit(code)
}
