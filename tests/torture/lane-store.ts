/** Where the events of one lane are: a file of its data folder, or a double of EventStoreDB. */
import { setTimeout as delay } from 'node:timers/promises'
import { DoubleThread } from '../eventstore/double-thread.ts'

export const storeKinds = ['sqlite', 'eventstoredb'] as const
export type StoreKind = (typeof storeKinds)[number]

export interface LaneStore {
  /** What its servers are set to. */
  readonly environment: Readonly<Record<string, string>>
  /** It dies, as by `kill -9`, and is back after `awayMs`. Not where it is a file. */
  readonly die?: (awayMs: number) => Promise<void>
  close(): Promise<void>
}

/** A new and empty one. @param seed of what the double leaves to chance */
export async function openLaneStore(kind: StoreKind, seed: number): Promise<LaneStore> {
  if (kind === 'sqlite') return { environment: {}, close: async () => {} }
  const double = await DoubleThread.start(seed)
  return {
    environment: { EVENTSTORE_URL: double.url },
    async die(awayMs) {
      await double.switches.kill()
      await delay(awayMs)
      await double.switches.restart()
    },
    close: () => double.stop(),
  }
}
