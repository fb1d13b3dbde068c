/** The examples: one folder per client, with a program to copy and the checks of the client. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const examplesFolder = fileURLToPath(new URL('../../examples/', import.meta.url))

export type Kind = 'shell' | 'node' | 'python'

export interface Example {
  readonly name: string
  readonly folder: string
  readonly kind: Kind
  /** What is installed, such as `openai 7.57.0`. */
  readonly clients: readonly string[]
  /** The program to copy; undefined where only the checks of another folder are run. */
  readonly program: string | undefined
  /** The call that the dashboard shows for this client; undefined where it shows none. */
  readonly firstCall: string | undefined
  readonly check: string
}

const firstCalls: Readonly<Record<Kind, string>> = {
  shell: 'first-call.sh',
  node: 'first-call.mjs',
  python: 'first_call.py',
}
const endings: Readonly<Record<Kind, string>> = { shell: 'sh', node: 'mjs', python: 'py' }
/** Installed along with the clients, and no client itself. */
const companions = /^(zod|@langchain\/core|langchain-core)$/

/** Settings of other programs, and no client: `tests/balancer` tries them. */
const SETTINGS_ONLY = ['balancer']

export function allExamples(): readonly Example[] {
  return readdirSync(examplesFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SETTINGS_ONLY.includes(entry.name))
    .map(({ name }) => exampleOf(name))
    .sort((one, other) => one.name.localeCompare(other.name))
}

function exampleOf(name: string): Example {
  const folder = join(examplesFolder, name)
  const kind = kindOf(folder)
  const program = `example.${endings[kind]}`
  return {
    name,
    folder,
    kind,
    clients: pinsOf(folder, kind)
      .filter(([client]) => !companions.test(client))
      .map(([client, version]) => `${client} ${version}`),
    program: existsSync(join(folder, program)) ? program : undefined,
    firstCall: existsSync(join(folder, firstCalls[kind])) ? firstCalls[kind] : undefined,
    check: `check.${endings[kind]}`,
  }
}

function kindOf(folder: string): Kind {
  if (existsSync(join(folder, 'package.json'))) return 'node'
  return existsSync(join(folder, 'requirements.txt')) ? 'python' : 'shell'
}

/** What a folder asks for by itself: pairs of package and version. */
export function pinsOf(folder: string, kind: Kind): readonly (readonly [string, string])[] {
  if (kind === 'shell') return []
  if (kind === 'node') {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return Object.entries<string>(manifest.dependencies)
  }
  const lines = readFileSync(join(folder, 'requirements.txt'), 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [name = '', version = ''] = line.split('==')
    return [name, version]
  })
}
