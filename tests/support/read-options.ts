/** The options of a script that measures or torments: told on request, and when one is mistyped. */
import { relative } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

const EXIT_USAGE = 2
/** More digits than these are none that a script can count. */
const WHOLE_NUMBER = /^\d{1,15}$/

/**
 * Reads the command line. Ends the process with the usage, by 0 when `--help` asks for it and by 2
 * when an option is unknown, lacks its value, or is no whole number and has to be one.
 *
 * @param numbers options that take a whole number and whose default does not show it
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  options: Options,
  { numbers = [] }: { readonly numbers?: readonly (keyof Options & string)[] } = {},
) {
  try {
    if (process.argv.slice(2).includes('--help')) end(0, usageOf(options))
    const { values } = parseArgs({ options })
    const isNumber = (name: string) =>
      numbers.includes(name) || WHOLE_NUMBER.test(String(options[name]?.default))
    for (const [name, value] of Object.entries(values)) {
      if (isNumber(name) && !WHOLE_NUMBER.test(String(value))) {
        throw new Error(`--${name} takes a whole number, and not "${value}"`)
      }
    }
    return values
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
