/**
 * Runs every example, and the checks of its client, against one real server with the demo model.
 *
 *     npm run test:examples                     all of them
 *     npm run test:examples -- openai-node      some of them
 *
 * An example whose language is missing on this machine is skipped, and said to be; where CI is set
 * that is a failure. It downloads the clients once, into the folders of the examples.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { secretOf } from '@svc/testing/made-key'
import { ServerProcess } from '@svc/testing/server-process'
import { CountingProxy } from './counting-proxy.ts'
import { allExamples, type Example } from './example-list.ts'
import { findPython, install, pythonOf } from './install.ts'
import { type Counts, countsOf, type Outcome, tableOf } from './outcome.ts'
import { runStep, type StepResult } from './step.ts'

const PROGRAM_MS_MAX = 60_000
const CHECK_MS_MAX = 180_000
const OPERATOR_MS_MAX = 30_000
const OUTPUT_LINES_SHOWN = 60
/**
 * What every program has to say, in whatever way: an answer, a tool's result, an object, a cost.
 */
const expectedOfPrograms = [/Oslo/, /19 degrees/, /Beatrix/, /balance/]
const noChecks: Counts = { passed: 0, failed: 0 }

const say = (text: string) => process.stdout.write(`${text}\n`)
/** The Node that runs this is the one that the examples get. */
const path = [dirname(process.execPath), process.env.PATH].join(delimiter)
const ofInstalls: NodeJS.ProcessEnv = { ...process.env, PATH: path }

process.exitCode = await main(process.argv.slice(2))

async function main(names: readonly string[]): Promise<number> {
  const examples = allExamples().filter(({ name }) => names.length === 0 || names.includes(name))
  if (examples.length === 0) throw new Error(`no example is named ${names.join(' or ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'))
  const server = new ServerProcess(join(folder, 'data'))
  try {
    const outcomes = await runAll(examples, server)
    say(`\n${tableOf(outcomes)}`)
    const bad = process.env.CI ? ['failed', 'skipped'] : ['failed']
    const { code } = await server.stop()
    if (code !== 0) say(`the server ended with ${code}:\n${server.stderr}`)
    return code === 0 && outcomes.every(({ state }) => !bad.includes(state)) ? 0 : 1
  } finally {
    server.kill('SIGKILL')
    await server.exited
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runAll(
  examples: readonly Example[],
  server: ServerProcess,
): Promise<readonly Outcome[]> {
  const { baseUrl, apiKey, dataDir } = await server.ready()
  const proxy = new CountingProxy(baseUrl)
  const environment = {
    ...ofLanguages(),
    SVC_URL: await proxy.listen(),
    SVC_KEY: apiKey,
    SVC_EMPTY_API_KEY: await keyWithoutCredit(baseUrl, dataDir),
  }
  const python = await findPython(ofInstalls)
  const outcomes: Outcome[] = []
  for (const example of examples) {
    say(`\n=== ${[example.name, ...example.clients].join(' · ')}`)
    const started = performance.now()
    const outcome = await runOne(example, environment, python)
    const seconds = (performance.now() - started) / 1000
    say([outcome.state, outcome.reason].filter(Boolean).join(': '))
    outcomes.push({ ...outcome, example, seconds })
  }
  await proxy.close()
  return outcomes
}

/** No settings and no secrets of whoever runs this: clients read many names. */
function ofLanguages(): NodeJS.ProcessEnv {
  const { HOME, TMPDIR } = process.env
  return { PATH: path, HOME, TMPDIR, NO_PROXY: '127.0.0.1', PYTHONUNBUFFERED: '1' }
}

async function keyWithoutCredit(baseUrl: string, dataDir: string): Promise<string> {
  const { operatorToken } = new DataFolder(dataDir).readSecrets() ?? { operatorToken: '' }
  const signal = AbortSignal.timeout(OPERATOR_MS_MAX)
  const operator = createRemoteOperations({ baseUrl, operatorToken, signal })
  const account = await operator.openAccount({ name: 'Without credit', spend_policy: 'standard' })
  const { account_id: accountId } = account
  const key = await operator.createKey({
    account_id: accountId,
    name: 'examples',
    expires_at: null,
  })
  return secretOf(key)
}

async function runOne(
  example: Example,
  environment: NodeJS.ProcessEnv,
  python: string | undefined,
): Promise<Omit<Outcome, 'example' | 'seconds'>> {
  if (example.kind === 'python' && python === undefined) {
    return { state: 'skipped', checks: noChecks, reason: 'no python3 ≥ 3.10 with venv here' }
  }
  const failed = (what: string, { reason, output }: StepResult, checks = noChecks) => {
    say(lastLines(output))
    return { state: 'failed', checks, reason: `${what} ${reason}` } as const
  }
  const installed = await install(example, ofInstalls, python)
  if (!installed.passed) return failed('the install', installed)
  if (example.program !== undefined) {
    const program = await runFile(example, [example.program], environment, PROGRAM_MS_MAX)
    if (!program.passed) return failed(example.program, program)
    const missing = expectedOfPrograms.find((pattern) => !pattern.test(program.output))
    const reason = `does not say ${missing}`
    if (missing !== undefined) return failed(example.program, { ...program, reason })
  }
  const call = await runFirstCall(example, environment)
  if (!call.passed) return failed('the first call', call)
  const options = example.kind === 'node' ? ['--test', '--test-reporter=tap'] : []
  const check = await runFile(example, [...options, example.check], environment, CHECK_MS_MAX)
  const checks = countsOf(check.output)
  if (!check.passed) return failed(example.check, check, checks)
  const none = { ...check, reason: 'checks nothing' }
  return checks.passed > 0
    ? { state: 'passed', checks, reason: '' }
    : failed(example.check, none, checks)
}

/** As it is pasted: given to the runtime as text, with the address of the server in it. */
async function runFirstCall(example: Example, environment: NodeJS.ProcessEnv): Promise<StepResult> {
  if (example.firstCall === undefined) return { passed: true, output: '', reason: '' }
  const text = readFileSync(join(example.folder, example.firstCall), 'utf8')
  const program = text.replaceAll('http://127.0.0.1:8080', environment.SVC_URL ?? '')
  const words = {
    shell: ['-c', program],
    node: ['--input-type=module', '--eval', program],
    python: ['-c', program],
  }
  const call = await runFile(example, words[example.kind], environment, PROGRAM_MS_MAX)
  const isSilent = call.passed && call.output.trim() === ''
  return isSilent ? { ...call, passed: false, reason: 'says nothing' } : call
}

function runFile(
  example: Example,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<StepResult> {
  const runtimes = { shell: 'bash', node: process.execPath, python: pythonOf(example) }
  const command = runtimes[example.kind]
  return runStep({ command, arguments: words, folder: example.folder, environment, timeoutMs })
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-OUTPUT_LINES_SHOWN).join('\n')
}
