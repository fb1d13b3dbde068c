/** The double as a process of its own. */
import { expect, test } from 'vitest'
import { runProgram } from '../child-process.ts'
import { EventStoreDBClient, idsIn, NO_STREAM, newEvent } from './raw-client.ts'

test('it says where it is, serves, and ends on SIGTERM', async () => {
  const program = runProgram(new URL('./main.ts', import.meta.url), ['--json'])
  await program.printed(1)
  const { url } = JSON.parse(program.lines[0] ?? '') as { url: string }
  const client = EventStoreDBClient.connectionString(url)
  const event = newEvent()
  await client.appendToStream('s', event, { expectedRevision: NO_STREAM })
  expect(await idsIn(client, 's')).toEqual([event.id])
  await client.dispose()
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})
