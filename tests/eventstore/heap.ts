/** What the process holds, without what is garbage. */
import { collectGarbage } from '@svc/testing/collect-garbage'

/** In bytes. */
export async function heapInUse(): Promise<number> {
  await collectGarbage()
  return process.memoryUsage().heapUsed
}
