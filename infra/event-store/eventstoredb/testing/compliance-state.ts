/**
 * For tests: the durable state of one test of the compliance suite, on any server, also one that is
 * used otherwise: the streams of each test have a prefix of their own, and stay there.
 */
import { randomUUID } from 'node:crypto'
import type { DurableState } from '../../compliance.suite.ts'
import { EventStoreDbClient } from '../client/client.ts'
import { parseConnectionString } from '../client/connection-string.ts'
import type { ServerEvent } from '../messages/server-event.ts'
import { openEventStoreDb } from '../open-eventstoredb.ts'

const READ_TIMEOUT_MS = 5_000
const PAGE_EVENTS = 1_000

/**
 * Makes the state for `describeEventStore`.
 * @param url of the server, with no other client in this process
 */
export async function complianceStateOn(url: string): Promise<DurableState> {
  let streamPrefix = newPrefix()
  return {
    open: () => openEventStoreDb({ url, streamPrefix }),
    async tamper(stream, revision) {
      const altered = newPrefix()
      await copyAltered(url, { from: streamPrefix, to: altered, stream, revision })
      streamPrefix = altered
    },
    async remove() {},
  }
}

function newPrefix(): string {
  return `test-${randomUUID()}.`
}

interface Alteration {
  readonly from: string
  readonly to: string
  readonly stream: string
  readonly revision: number
}

/** A server alters no event, so its streams are copied, all but the data of one event. */
async function copyAltered(url: string, { from, to, stream, revision }: Alteration): Promise<void> {
  const client = new EventStoreDbClient(parseConnectionString(url), READ_TIMEOUT_MS)
  try {
    for (const event of await readAllOf(client, from)) {
      const name = event.stream.slice(from.length)
      const isAltered = name === stream && event.revision === revision
      const result = await client.append(to + name, event.revision - 1, [
        {
          ...event,
          data: isAltered ? { kind: 'json', text: '{"amount":"0"}' } : event.data,
          metadata: new TextEncoder().encode(JSON.stringify(event.metadata)),
        },
      ])
      if (result.kind !== 'appended') throw new Error(`the copy failed: ${result.kind}`)
    }
  } finally {
    await client.retire()
  }
}

async function readAllOf(client: EventStoreDbClient, prefix: string): Promise<ServerEvent[]> {
  const found: ServerEvent[] = []
  let from: bigint | undefined
  for (;;) {
    const place = from === undefined ? {} : { from }
    const page = await client.readAll({ direction: 'forwards', limit: PAGE_EVENTS, ...place })
    const own = page.filter(
      ({ stream, position }) => stream.startsWith(prefix) && position !== from,
    )
    found.push(...own)
    if (page.length < PAGE_EVENTS) return found
    from = page.at(-1)?.position
  }
}
