/**
 * A socket on which kafkajs asks for the topics that it was told of, and for no others.
 *
 * Whatever it does before it was told of a topic (a new producer, a new topic, a look at the
 * cluster) makes it ask for all topics of the cluster: for kafkajs an empty list and all topics are
 * the same. On a large cluster that is megabytes each time, and one partition without a leader, of
 * a topic of somebody else, makes it fail. Nothing here needs other topics, so the question is
 * changed on its way to one for no topic: the brokers alone.
 */
import { isIP, type Socket, connect as tcpConnect } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { ISocketFactoryArgs } from 'kafkajs'

const KEEP_ALIVE_MS = 60_000
const METADATA = 3
/** Size, kind, version, correlation, and the length of the client's name. */
const HEAD_BYTES = 14
const ALL_TOPICS = -1
const NO_TOPIC = 0

export function ownTopicsSocket({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
  const name = isIP(host) === 0 ? { servername: host } : {}
  const socket = ssl
    ? tlsConnect(Object.assign({ host, port }, name, ssl), onConnect)
    : tcpConnect({ host, port }, onConnect)
  socket.setKeepAlive(true, KEEP_ALIVE_MS)
  const write = socket.write.bind(socket)
  // kafkajs writes each request whole, as a buffer of its own.
  socket.write = ((request: Buffer) => write(withoutOtherTopics(request))) as Socket['write']
  return socket
}

/** Changes a question for all topics in place. Its versions from 1 on know one for no topic. */
function withoutOtherTopics(request: Buffer): Buffer {
  if (request.length < HEAD_BYTES || request.readInt16BE(4) !== METADATA) return request
  const topicsAt = HEAD_BYTES + Math.max(0, request.readInt16BE(12))
  if (request.length < topicsAt + 4 || request.readInt16BE(6) < 1) return request
  if (request.readInt32BE(topicsAt) === ALL_TOPICS) request.writeInt32BE(NO_TOPIC, topicsAt)
  return request
}
