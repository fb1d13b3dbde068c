/**
 * The client of the server's makers, which can be ended for good: it finds no connection then, and
 * closes the one that it has.
 */
import {
  type AllStreamResolvedEvent,
  EventStoreDBClient,
  type SingleNodeOptions,
} from '@eventstore/db-client'
import { ReadStream } from '@eventstore/db-client/dist/streams/utils/ReadStream.js'
import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError.js'
import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js'
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { ServerReadAll } from '../messages/server-calls.ts'
import { channelCredentialsOf, clientSettingsOf } from './client-settings.ts'
import type { ConnectionSettings } from './connection-string.ts'
import { answerWithin } from './deadline.ts'
import { ClientRetiredError } from './server-failure.ts'

/** A node as another one sees it. */
export type ClusterMember = MemberInfo.AsObject

/** How long to wait for the calls of a retired client to end, in milliseconds. */
const DISPOSE_MS = 2_000

const STREAMS = '/event_store.client.streams.Streams'
/** The arguments of a call that only the node that leads may answer, in any time. */
const ASKS_LEADER = [{ requiresLeader: true }, { deadline: Infinity }] as const
const asItIs = (message: Buffer): Buffer => message

/** The error of a call, in the types that the client gives all its errors. */
export function clientErrorOf(error: unknown): unknown {
  return error instanceof Error ? convertToCommandError(error) : error
}

/** The client with what its interface hides: the server's features, and its connection. */
export class RetirableClient extends EventStoreDBClient {
  #channel: { close(): void; getTarget(): string } | undefined
  readonly #life: { isOver: boolean }

  constructor(settings: ConnectionSettings) {
    const life = { isOver: false }
    const where = clientSettingsOf(settings)
    // A search for a node cannot be ended, and would hold up the end of the process for minutes:
    // it looks at its bound before each attempt.
    const { maxDiscoverAttempts } = where
    const attempts = { valueOf: () => (life.isOver ? 0 : maxDiscoverAttempts) }
    // The constructor has one overload for each way to name the servers, and none for all of them.
    const options = { ...where, maxDiscoverAttempts: attempts } as unknown as SingleNodeOptions
    super(options, channelCredentialsOf(settings), settings.credentials)
    this.#life = life
    const openChannel = this.getChannel
    this.getChannel = async () => {
      if (life.isOver) throw new ClientRetiredError()
      const channel = await openChannel()
      if (life.isOver) {
        channel.close()
        throw new ClientRetiredError()
      }
      this.#channel = channel
      return channel
    }
  }

  features() {
    return this.capabilities
  }

  /**
   * The node that the client is connected to, as `host:port`; undefined before the first
   * connection.
   */
  get connectedTo(): string | undefined {
    return this.#channel?.getTarget().replace(/^dns:/, '')
  }

  /**
   * Asks the node how it sees its cluster. This needs no rights, and a node that does not lead
   * answers too.
   */
  gossip(timeoutMs: number): Promise<readonly ClusterMember[]> {
    return this.execute(gossip.GossipClient, 'gossip', (client) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly ClusterMember[]>()
      client.read(
        new shared.Empty(),
        ...this.callArguments({ deadline: timeoutMs }),
        (error, info) => {
          if (error !== null || info === undefined) reject(error)
          else resolve(info.toObject().membersList)
        },
      )
      return promise
    })
  }

  /**
   * Opens a call for many appends, whose messages are bytes, and its answers what `decode` makes of
   * them. What `decode` throws ends the call.
   */
  openAppends<Answer>(decode: (message: Buffer) => Answer) {
    const open = this.GRPCStreamCreator(StreamsClient, 'batchAppend', (client) =>
      client.makeBidiStreamRequest(
        `${STREAMS}/BatchAppend`,
        asItIs,
        decode,
        ...this.callArguments(...ASKS_LEADER),
      ),
    )
    return open()
  }

  /** Starts the read that the message asks for, its answers decoded as above. */
  openRead<Answer>(message: Buffer, decode: (message: Buffer) => Answer) {
    const open = this.GRPCStreamCreator(StreamsClient, 'read', (client) =>
      client.makeServerStreamRequest(
        `${STREAMS}/Read`,
        asItIs,
        decode,
        message,
        ...this.callArguments(...ASKS_LEADER),
      ),
    )
    return open()
  }

  /**
   * Reads all events as `readAll` does, of the streams that the request names only. The client can
   * filter subscriptions, and no reads; the server filters both by the same search.
   */
  readFiltered(request: ServerReadAll): ReadStream<AllStreamResolvedEvent> {
    const message = filteredRead(request)
    const createStream = this.GRPCStreamCreator(StreamsClient, 'readAll', (client) =>
      client.read(message, ...this.callArguments(...ASKS_LEADER)),
    )
    return new ReadStream(createStream, convertGrpcEvent<AllStreamResolvedEvent>, {})
  }

  async retire(): Promise<void> {
    this.#life.isOver = true
    await answerWithin(DISPOSE_MS, 'its end', this.dispose()).catch(() => {})
    this.#channel?.close()
  }
}

const { Options } = streams.ReadReq
const BACKWARDS = 1

function filteredRead({ direction, from, limit, streams: names = [] }: ServerReadAll) {
  const { AllOptions, FilterOptions, Position, UUIDOption } = Options
  const all = new AllOptions()
  if (from !== undefined) {
    const position = new Position().setCommitPosition(`${from}`).setPreparePosition(`${from}`)
    all.setPosition(position)
  } else if (direction === 'forwards') all.setStart(new shared.Empty())
  else all.setEnd(new shared.Empty())
  const filter = new FilterOptions()
    .setStreamIdentifier(new FilterOptions.Expression().setPrefixList([...names]))
    .setCount(new shared.Empty())
    .setCheckpointintervalmultiplier(1)
  const options = new Options()
    .setAll(all)
    .setReadDirection(direction === 'backwards' ? BACKWARDS : 0)
    .setCount(`${limit}`)
    .setFilter(filter)
    .setUuidOption(new UUIDOption().setString(new shared.Empty()))
  return new streams.ReadReq().setOptions(options)
}
