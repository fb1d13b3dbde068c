/** Tries a kind of GPU in a process of its own, which may die of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { EngineSettings, GpuKind } from '../engines/engine.ts'
import { childEnvironment } from '../process/child-environment.ts'
import { forwardLog } from '../process/child-log.ts'
import type { FindingsSettings } from '../process/findings.ts'
import type { Log } from '../process/log.ts'
import { EXIT_ABSENT, EXIT_REFUSED, firstLineOf } from '../process/start-refused.ts'
import type { TrialEnd } from './gpu-choice.ts'

const PROCESS_PATH = fileURLToPath(new URL('../gpu-trial-process.ts', import.meta.url))
/** Less than a supervisor waits for a sign of the worker whose trial it is. */
const SILENCE_MS_MAX = 100_000

/** What the process gets on its stdin, in one line of JSON. None of it is secret. */
export interface TrialOrder {
  readonly engine: EngineSettings
  readonly findings: FindingsSettings
  /** Milliseconds of silence after which the process ends itself. */
  readonly hangMs: number
}

export async function tryGpu(
  kind: GpuKind,
  { engine, findings, hangMs }: TrialOrder,
  log: Log,
): Promise<TrialEnd> {
  const order: TrialOrder = { engine: { ...engine, gpu: kind }, findings, hangMs }
  const child = spawn(process.execPath, ['--disable-sigusr1', PROCESS_PATH], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // It may abort, and leave its memory to a file: no secret of the worker is to be in it.
    env: childEnvironment(),
  })
  child.stdin.on('error', () => {})
  // It is left open: the process ends when it closes, which it does when this process ends.
  child.stdin.write(`${JSON.stringify(order)}\n`)
  let cancel = () => {}
  const waitForSign = () => {
    cancel()
    cancel = systemTimer.after(SILENCE_MS_MAX, () => child.kill('SIGKILL'))
  }
  waitForSign()
  const said = forwardLog(child.stderr, log, { trial: kind }, waitForSign)
  try {
    // 'close' and not 'exit': only then are the last lines of stderr read.
    const [code, signal] = await once(child, 'close')
    return trialEnd(code, signal ?? `exit code ${code}`, said.firstError)
  } catch (error) {
    return { end: 'died', reason: `its trial cannot be started: ${String(error)}` }
  } finally {
    cancel()
  }
}

function trialEnd(code: number | null, how: string, firstError: string | undefined): TrialEnd {
  if (code === 0) return { end: 'passed' }
  if (code === EXIT_ABSENT) return { end: 'absent' }
  if (code === EXIT_REFUSED) return { end: 'refused' }
  const why = firstError === undefined ? '' : `: ${firstLineOf(firstError)}`
  return { end: 'died', reason: `its trial ended with ${how}${why}` }
}
