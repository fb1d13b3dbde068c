/** What the process holds, without what is garbage. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** In bytes, after two collections: the first lets finalizers run. */
export async function heapInUse(): Promise<number> {
  collectGarbage()
  await nextTurn()
  collectGarbage()
  return process.memoryUsage().heapUsed
}
