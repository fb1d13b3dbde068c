/** What runs in the thread of {@link DoubleThread}: says its address, then does as it is told. */
import { parentPort, workerData } from 'node:worker_threads'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import type { DoubleAnswer, DoubleQuestion } from './double-thread.ts'

/** How much later what was committed at the moment of a kill is seen, as on the real server. */
const INDEX_LAG_MS = 60

const { seed } = workerData as { readonly seed: number }
const double = await EventStoreDbDouble.start()
double.faults.randomise(seed)
double.faults.indexLagMs = INDEX_LAG_MS

parentPort?.on('message', async ({ number, command }: DoubleQuestion) => {
  if (command !== 'openCalls') await double[command]()
  const answer: DoubleAnswer = { number, openCalls: double.observed.openCalls.length }
  parentPort?.postMessage(answer)
})
parentPort?.postMessage(double.url)
