/**
 * The process of a trial: it does with the GPU what a worker does before it is ready, and ends. Its
 * exit code says how it went (see `gpu-trial.ts`), and what it found out about the model is
 * remembered for the worker.
 */
import { createInterface } from 'node:readline'
import { openLlama } from './engines/llama/llama.ts'
import type { TrialOrder } from './gpu/gpu-trial.ts'
import { workerLog } from './process/log.ts'
import { RuntimeWatch } from './process/runtime-watch.ts'
import { EXIT_ABSENT, EXIT_REFUSED, GpuAbsent, StartRefused } from './process/start-refused.ts'
import { startWatchdog } from './process/watchdog.ts'
import { testEngine } from './self-test.ts'

const EXIT_FAILED = 1

const log = workerLog(process.stderr)
process.stderr.on('error', () => {})

createInterface({ input: process.stdin })
  .once('line', (line) => void run(JSON.parse(line)))
  // The worker has ended: nobody waits for the trial any more.
  .once('close', () => process.exit(EXIT_FAILED))

async function run(order: TrialOrder): Promise<void> {
  try {
    const watch = new RuntimeWatch()
    // A worker that ends can leave this process behind, and then nobody else sees that it hangs.
    startWatchdog(watch, order.hangMs)
    const opened = await openLlama(order.engine, { log, watch })
    await testEngine(opened, order, log, () => performance.now())
    process.exit(0)
  } catch (error) {
    if (error instanceof GpuAbsent) process.exit(EXIT_ABSENT)
    log('error', error instanceof StartRefused ? error.message : String(error))
    process.exit(error instanceof StartRefused ? EXIT_REFUSED : EXIT_FAILED)
  }
}
