/** A thread that builds views. It says and does what its {@link ViewBuilder} is asked for. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type CallPort, ThreadCalls } from './thread-calls.ts'
import { type BuildThreadData, type LogHandlers, ViewBuilder } from './view-builder.ts'

/**
 * The priority of the thread: beside threads that serve, which have 0, it gets about a tenth of a
 * core.
 */
const NICENESS = 10

giveWayToServing()
const builder = new ViewBuilder(workerData as BuildThreadData, () => calls)
const calls = new ThreadCalls<LogHandlers>(parentPort as CallPort, builder.handlers)

/**
 * Lowers the priority of this thread. Only on Linux have threads one of their own, and the call
 * means this thread.
 */
function giveWayToServing(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(NICENESS)
  } catch {
    // A system that does not allow it leaves this one thread among others.
  }
}
