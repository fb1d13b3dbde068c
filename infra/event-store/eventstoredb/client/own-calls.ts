/**
 * The calls that carry all events, with messages encoded and decoded by us over the client's own
 * connection: a quarter of what it costs when the client does it. Finding the server, TLS, users
 * and the end of connections stay the client's.
 */

import { AppendCalls } from '../messages/append-call.ts'
import {
  NO_EVENT_IN_ANSWER,
  type ReadAnswer,
  readAnswer,
  readRequest,
} from '../messages/read-messages.ts'
import type { NewServerEvent, ServerEvent } from '../messages/server-event.ts'
import type { AppendedAt, PageRequest, RunningRead, StreamCalls } from '../messages/stream-calls.ts'
import { WatchedPage } from '../messages/watched-page.ts'
import { clientErrorOf, type RetirableClient } from './retirable-client.ts'

type Calls = Pick<RetirableClient, 'openAppends' | 'openRead'>

export class OwnCalls implements StreamCalls {
  readonly #client: Calls
  readonly #appends: AppendCalls

  constructor(client: Calls) {
    this.#client = client
    this.#appends = new AppendCalls((decode) => client.openAppends(decode))
  }

  async append(
    stream: string,
    expected: number,
    events: readonly NewServerEvent[],
  ): Promise<AppendedAt> {
    try {
      return await this.#appends.append(stream, expected, events)
    } catch (error) {
      throw clientErrorOf(error)
    }
  }

  read(request: PageRequest, onEvent: (event: ServerEvent) => void): RunningRead {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    const watch = 'stream' in request ? undefined : request.watch
    const page = watch && new WatchedPage(watch, request.limit)
    let isOver = false
    const opened = this.#client.openRead(readRequest(request), readAnswer)
    opened.then((call) => {
      call.on('data', (answer: ReadAnswer) => {
        if (answer === NO_EVENT_IN_ANSWER || isOver) return
        isOver = page?.isEndedBy(answer) ?? false
        if (typeof answer === 'object' && 'stream' in answer) onEvent(answer)
        if (!isOver) return
        resolve()
        call.cancel()
      })
      call.on('error', (error) => reject(clientErrorOf(error)))
      call.on('end', resolve)
      // A call that closes behind an end or an error says nothing new. One that only closes would
      // leave the read waiting.
      call.on('close', () => reject(new Error('the event store has ended a read halfway')))
    }, reject)
    return {
      ended,
      cancel: () =>
        void opened.then(
          (call) => call.cancel(),
          () => {},
        ),
    }
  }
}
