/**
 * The store that the tests of EventStoreDB run on: the double, unless SVC_TEST_EVENTSTORE_URL names
 * another. Every test uses streams of a prefix of its own, so one that was used before is fine.
 */
import { commandSwitches } from './commands.ts'
import { containerSwitches } from './container.ts'
import { DoubleThread } from './double-thread.ts'

/** What a test may do to its store, besides using it. */
export interface Switches {
  /** As `kill -9`: what was confirmed stays. */
  kill(): Promise<void>
  /** Resolves when it takes connections again. */
  restart(): Promise<void>
  /** As SIGSTOP: connections stay open, and nothing answers. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

export interface StoreUnderTest {
  readonly url: string
  /** Undefined on a store that is not the test's own. */
  readonly switches: Switches | undefined
  /** gRPC calls that are open now; undefined where that cannot be seen. */
  openCalls(): Promise<number | undefined>
  stop(): Promise<void>
}

const {
  SVC_TEST_EVENTSTORE_URL: url,
  SVC_TEST_EVENTSTORE_CONTAINER: container,
  SVC_TEST_EVENTSTORE_KILL: kill,
  SVC_TEST_EVENTSTORE_START: start,
  SVC_TEST_EVENTSTORE_ENCODING: encoding,
} = process.env

/** Whether tests may freeze the store. */
export const isFreezable = url === undefined || container !== undefined
/** Whether tests may kill the store. */
export const isBreakable = isFreezable || (kill !== undefined && start !== undefined)

/** @param seed of what the double leaves to chance */
export async function startStoreUnderTest(seed: number): Promise<StoreUnderTest> {
  if (url === undefined) {
    const double = await DoubleThread.start(seed)
    return {
      url: inEncoding(double.url),
      switches: double.switches,
      openCalls: () => double.openCalls(),
      stop: () => double.stop(),
    }
  }
  return {
    url: inEncoding(url),
    switches: await switchesOf(url),
    openCalls: async () => undefined,
    stop: async () => {},
  }
}

function inEncoding(address: string): string {
  if (encoding === undefined) return address
  return `${address}${address.includes('?') ? '&' : '?'}encoding=${encoding}`
}

async function switchesOf(address: string): Promise<Switches | undefined> {
  if (container !== undefined) return containerSwitches(container, address)
  if (kill === undefined || start === undefined) return undefined
  return commandSwitches({ kill, start }, address)
}
