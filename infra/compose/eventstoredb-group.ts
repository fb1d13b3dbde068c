/**
 * Lets a group of users of an EventStoreDB do what svc needs, and no more: they read `$all`, and
 * read and write the streams of users; they delete nothing, and shorten nothing.
 *
 *     node_modules/.bin/node infra/compose/eventstoredb-group.ts \
 *         'esdb://admin:PASSWORD@host:2113?tlsCAFile=/etc/svc/ca.crt' svc
 *
 * To be run once, by one of `$admins`, before or after the first start. It counts for all streams
 * of the server that say nothing themselves, also for those of other programs. Then put the user of
 * svc into the group, with the server's UI.
 */
import { randomUUID } from 'node:crypto'
import type { EventStoreDbClient } from '../event-store/eventstoredb/client/client.ts'
import { NO_EVENTS } from '../event-store/eventstoredb/messages/server-event.ts'
import { connectToServer } from '../event-store/eventstoredb/open-eventstoredb.ts'

const [, , url, group] = process.argv
if (url === undefined || group === undefined || !/^[\w-]+$/.test(group)) {
  process.stderr.write('usage: eventstoredb-group.ts URL GROUP\n')
  process.exit(2)
}
try {
  await letIn(url, group)
  process.stdout.write(`members of ${group} may read $all, and read and write streams\n`)
} catch (error) {
  // In one line: an operator has no use for the place in the program.
  const [problem] = String(error instanceof Error ? error.message : error).split('\n')
  process.stderr.write(`eventstoredb-group: ${problem}\n`)
  process.exitCode = 1
}

async function letIn(url: string, group: string): Promise<void> {
  const members = ['$admins', group]
  const admins = { $r: '$admins', $w: '$admins', $d: '$admins', $mr: '$admins', $mw: '$admins' }
  const connection = await connectToServer({ url })
  const client = await connection.get()
  try {
    await write(client, '$$$all', '$metadata', { $acl: { $r: members } })
    await write(client, '$settings', 'update-default-acl', {
      $userStreamAcl: { ...admins, $r: members, $w: members },
      $systemStreamAcl: admins,
    })
  } finally {
    await connection.close()
  }
}

async function write(
  client: EventStoreDbClient,
  stream: string,
  type: string,
  value: object,
): Promise<void> {
  const [last] = await client.readStream({ stream, direction: 'backwards', limit: 1 })
  const data = { kind: 'json', text: JSON.stringify(value) } as const
  const event = { id: randomUUID(), type, data, metadata: new Uint8Array() }
  const result = await client.append(stream, last?.revision ?? NO_EVENTS, [event])
  if (result.kind !== 'appended') throw new Error(`${stream} could not be written: ${result.kind}`)
}
