/** The options of a script that measures or torments: told on request, and when one is mistyped. */
import { relative } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { messageOf } from '@svc/contracts/error-message'

const EXIT_USAGE = 2
/** More digits than these are none that a script can count. */
const WHOLE_NUMBER = /^\d{1,15}$/

interface Rules<Name extends string> {
  /** Options that take a whole number and whose default does not show it. */
  readonly numbers?: readonly Name[]
  /** What stands before the options, one word each. */
  readonly words?: readonly string[]
}

/**
 * Reads the command line. Ends the process with the usage, by 0 when `--help` asks for it and by 2
 * when an option is unknown, lacks its value, or is no whole number and has to be one, and when
 * there are more or fewer words than named.
 *
 * @returns with `refuse`, which ends the process likewise
 */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(
  options: Options,
  { numbers = [], words = [] }: Rules<keyof Options & string>,
) {
  const usage = usageOf(options, words)
  const refuse = (why: string): never => end(EXIT_USAGE, `${why}\n${usage}`)
  try {
    if (process.argv.slice(2).includes('--help')) end(0, usage)
    const { values, positionals } = parseArgs({ options, allowPositionals: words.length > 0 })
    const isNumber = (name: string) =>
      numbers.includes(name) || WHOLE_NUMBER.test(String(options[name]?.default))
    for (const [name, value] of Object.entries(values)) {
      if (isNumber(name) && !WHOLE_NUMBER.test(String(value))) {
        throw new Error(`--${name} takes a whole number, and not "${value}"`)
      }
    }
    if (positionals.length !== words.length) throw new Error(`say ${words.join(' ')}`)
    return { values, positionals, refuse }
  } catch (error) {
    return refuse(messageOf(error))
  }
}

/** Of a command line without words. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  options: Options,
  rules: Pick<Rules<keyof Options & string>, 'numbers'> = {},
) {
  return readCommandLine(options, rules).values
}

function usageOf(options: ParseArgsOptionsConfig, words: readonly string[]): string {
  const given = Object.entries(options).map(([name, { type, default: value }]) =>
    type === 'boolean' ? `[--${name}]` : `[--${name} ${value || name.toUpperCase()}]`,
  )
  return `usage: node ${relative('.', process.argv[1] ?? '')} ${[...words, ...given].join(' ')}`
}

function end(code: number, text: string): never {
  const stream = code === 0 ? process.stdout : process.stderr
  stream.write(`${text}\n`)
  process.exit(code)
}
