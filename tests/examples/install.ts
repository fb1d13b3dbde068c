/** What an example needs, put into its own folder, and left there for the next run. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Example } from './example-list.ts'
import { runStep, type StepResult } from './step.ts'

const INSTALL_MS_MAX = 300_000
const PYTHON_PROBE_MS_MAX = 20_000
/** The clients want 3.10. */
const OLDEST_PYTHON = [3, 10] as const
const probe = 'import sys, venv, ensurepip; print("version", *sys.version_info[:2])'
const installed: StepResult = { passed: true, output: '', reason: '' }

/** The name of a Python that can make environments; undefined when there is none. */
export async function findPython(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const command of ['python3', 'python']) {
    const step = { command, arguments: ['-c', probe], folder: '.', environment }
    const { passed, output } = await runStep({ ...step, timeoutMs: PYTHON_PROBE_MS_MAX })
    const [, major, minor] = /version (\d+) (\d+)/.exec(output) ?? []
    const fits = Number(major) === OLDEST_PYTHON[0] && Number(minor) >= OLDEST_PYTHON[1]
    if (passed && fits) return command
  }
  return undefined
}

export function pythonOf({ folder }: Example): string {
  const windows = process.platform === 'win32'
  return join(folder, '.venv', windows ? 'Scripts' : 'bin', 'python')
}

/** @param python for a Python example */
export async function install(
  example: Example,
  environment: NodeJS.ProcessEnv,
  python: string | undefined,
): Promise<StepResult> {
  if (example.kind === 'shell') return installed
  const isNode = example.kind === 'node'
  const target = join(example.folder, isNode ? 'node_modules' : '.venv')
  const pins = join(example.folder, isNode ? 'package-lock.json' : 'requirements.txt')
  const mark = join(target, '.installed')
  const wanted = createHash('sha256').update(readFileSync(pins)).digest('hex')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return installed
  rmSync(target, { recursive: true, force: true })
  for (const [command, ...words] of isNode ? nodeCommands : pythonCommands(example, python)) {
    const step = { command, arguments: words, folder: example.folder, environment }
    const result = await runStep({ ...step, timeoutMs: INSTALL_MS_MAX })
    if (!result.passed) return result
  }
  writeFileSync(mark, wanted)
  return installed
}

type Command = readonly [string, ...string[]]
const nodeCommands: readonly Command[] = [['npm', 'ci', '--no-update-notifier']]

function pythonCommands(example: Example, python = 'python3'): readonly Command[] {
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  return [
    [python, '-m', 'venv', '.venv'],
    [pythonOf(example), ...pip, '--requirement', 'requirements.txt'],
  ]
}
