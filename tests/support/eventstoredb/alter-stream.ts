/**
 * A process for tests: gives a server an order about a stream, as an operator might. It has a
 * client of its own, which must not share a process with another.
 *
 *     node alter-stream.ts URL STREAM '{"maxCount":1}'      sets the metadata of the stream
 *     node alter-stream.ts URL STREAM delete                so that it can go on
 *     node alter-stream.ts URL STREAM tombstone             for ever
 */
import { EventStoreDBClient } from '@eventstore/db-client'

const [, , url = '', stream = '', order = '{}'] = process.argv
const client = EventStoreDBClient.connectionString(url)
if (order === 'delete') await client.deleteStream(stream)
else if (order === 'tombstone') await client.tombstoneStream(stream)
else await client.setStreamMetadata(stream, JSON.parse(order))
await client.dispose()
