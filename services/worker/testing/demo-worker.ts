/** A worker process with the demo model for the tests of one file. */

import { WorkerClient } from '@svc/testing/protocol-client'
import { afterAll, beforeAll } from 'vitest'
import { type Supervised, superviseWorker } from '../src/supervision/supervisor.ts'

const STOP_MS = 5000

/** @returns a function that gives the client once the tests run */
export function demoWorker(...moreArguments: readonly string[]): () => WorkerClient {
  let supervised: Supervised
  let client: WorkerClient | undefined
  beforeAll(async () => {
    supervised = superviseWorker({
      workerId: 'worker-test',
      modelArguments: ['--model', 'demo', ...moreArguments],
      log: () => {},
    })
    await supervised.ready()
    client = new WorkerClient(supervised.address)
  })
  afterAll(async () => {
    await supervised.stop(STOP_MS)
  })
  return () => {
    if (client === undefined) throw new Error('the worker is not ready')
    return client
  }
}
