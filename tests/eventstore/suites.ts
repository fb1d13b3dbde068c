/** Runs the suites at one place, with vitest, and counts what came of each. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { workspaceRoot } from '../rules/workspace.ts'

/** The adapter's own run of the compliance suite is on the double, wherever the others run. */
const complianceOnDouble = 'infra/event-store/eventstoredb/compliance.int.test.ts'
/** Fewer run with all other tests, for the time they take. */
const { SVC_CRASH_ROUNDS = '50' } = process.env
const complianceOnServer = 'infra/event-store/eventstoredb/tests/compliance-on-server.int.test.ts'
const suites = [
  { name: 'crash', file: 'tests/eventstore/crash.e2e.test.ts' },
  { name: 'server story', file: 'tests/eventstore/server-story.e2e.test.ts' },
  { name: 'failover', file: 'tests/eventstore/failover.e2e.test.ts' },
  { name: 'damaged stream', file: 'tests/eventstore/damaged-stream.e2e.test.ts' },
  { name: 'two gateways', file: 'tests/eventstore/two-gateways.e2e.test.ts' },
] as const

/** What runs once more with the messages encoded by the client, the way back of an operator. */
const suitesOfLibrary = ['crash', 'server story']
const CRASH_ROUNDS_OF_LIBRARY = '15'

interface Suite {
  readonly name: string
  /** From the root of the workspace. */
  readonly file: string
}

export interface SuiteResult {
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Why tests were skipped: one that cannot run everywhere says so in its name, in brackets. */
  readonly remark: string
}

/** The part of vitest's JSON report that is used here. */
interface Report {
  readonly testResults: readonly FileReport[]
}

interface FileReport {
  readonly name: string
  readonly status: string
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

/** @param environment what the place says to the test files */
export async function runSuites(
  environment: Readonly<Record<string, string>>,
): Promise<readonly SuiteResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-eventstore-'))
  try {
    const isNamed = environment.SVC_TEST_EVENTSTORE_URL !== undefined
    const compliance = isNamed ? complianceOnServer : complianceOnDouble
    const own = [{ name: 'compliance', file: compliance }, ...suites]
    const library = own.filter(({ name }) => suitesOfLibrary.includes(name))
    const reportFile = join(folder, 'report.json')
    return [
      ...(await runChosen(own, reportFile, { SVC_CRASH_ROUNDS, ...environment })),
      ...(await runChosen(library, reportFile, {
        ...environment,
        SVC_CRASH_ROUNDS: CRASH_ROUNDS_OF_LIBRARY,
        SVC_TEST_EVENTSTORE_ENCODING: 'library',
      })),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runChosen(
  chosen: readonly Suite[],
  reportFile: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly SuiteResult[]> {
  await runVitest(chosen, reportFile, environment)
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  const encoding = environment.SVC_TEST_EVENTSTORE_ENCODING
  const suffix = encoding === undefined ? '' : `, encoding=${encoding}`
  return chosen.map(({ name, file }) => resultOf(name, file, suffix, report))
}

async function runVitest(
  chosen: readonly Suite[],
  reportFile: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'))
  // A store that the operator's shell names is for the place that asks for it, and for no other.
  const { EVENTSTORE_URL, ...inherited } = process.env
  const child = spawn(
    process.execPath,
    [
      join(vitest, 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportFile}`,
      ...chosen.map(({ file }) => file),
    ],
    {
      cwd: workspaceRoot,
      env: { ...inherited, ...environment },
      stdio: 'inherit',
    },
  )
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('error', reject).once('exit', () => resolve())
  await promise
}

function skippedBecause(tests: FileReport['assertionResults']): string {
  const reasons = tests.map(({ fullName }) => /\[(.+?)\]/.exec(fullName)?.[1] ?? fullName)
  return [...new Set(reasons)].map((reason) => `skipped: only ${reason}`).join('; ')
}

function resultOf(suite: string, file: string, suffix: string, report: Report): SuiteResult {
  const name = suite + suffix
  const found = report.testResults.find((result) =>
    result.name.replaceAll('\\', '/').endsWith(file),
  )
  if (found === undefined) return { name, passed: 0, failed: 1, skipped: 0, remark: 'did not run' }
  const tests = found.assertionResults
  const passed = tests.filter(({ status }) => status === 'passed').length
  const failed = tests.filter(({ status }) => status === 'failed').length
  const left = tests.filter(({ status }) => status !== 'passed' && status !== 'failed')
  const isBroken = found.status === 'failed' && failed === 0
  return {
    name,
    passed,
    failed: isBroken ? 1 : failed,
    skipped: left.length,
    remark: isBroken ? 'the file itself failed' : skippedBecause(left),
  }
}
