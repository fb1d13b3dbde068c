/** What operators do about the feed: look whether the topic is whole, and send again. */
import type { OperationHandlers, OperationOutput } from '@svc/contracts/admin/operations'
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import { ServiceError } from '@svc/contracts/errors'
import { BusAwayError, BusRefusedError, UnsafeTopicError } from '@svc/contracts/ports/bus'
import type { Feed, FeedComparison } from '../../feed/feed.ts'
import { progressLines } from './progress-lines.ts'

type Line<Name extends 'checkFeed' | 'resendFeed', Type> = Extract<
  OperationOutput<Name>,
  { readonly type: Type }
>

interface FeedPorts {
  readonly feed?: Feed | undefined
  readonly information: { readonly mode: ServiceStatus['mode'] }
}

export function feedOperations(
  ports: FeedPorts,
): Pick<OperationHandlers, 'checkFeed' | 'resendFeed'> {
  return {
    async *checkFeed() {
      const feed = feedOf(ports)
      const { topic, position } = feed.status()
      yield* progressLines<Line<'checkFeed', 'progress'>, Line<'checkFeed', 'result'>>(
        async (report, signal) => {
          const onProgress = (done: { events: number; records: number }) =>
            report({ type: 'progress', ...done })
          const found = await answered(feed.check({ signal, onProgress }))
          const findings = found.findings.map(shownFinding)
          return { type: 'result', topic, position: `${position}`, ...found, findings }
        },
      )
    },
    async *resendFeed({ from, account_id: key }) {
      const feed = feedOf(ports)
      const { topic, position } = feed.status()
      yield* progressLines<Line<'resendFeed', 'progress'>, Line<'resendFeed', 'result'>>(
        async (report, signal) => {
          const onProgress = (events: number) => report({ type: 'progress', events })
          const events = await answered(
            feed.resend({ from: BigInt(from), key, signal, onProgress }),
          )
          return { type: 'result', topic, events, position: `${position}` }
        },
      )
    },
  }
}

function shownFinding({
  firstMissing,
  isHashWrong,
  isOtherHistory,
  ...finding
}: FeedComparison['findings'][number]): Line<'checkFeed', 'result'>['findings'][number] {
  return {
    ...finding,
    first_missing: firstMissing === null ? null : `${firstMissing}`,
    last_hash: isHashWrong ? 'differs' : 'holds',
    history: isOtherHistory ? 'other' : 'same',
  }
}

function feedOf({ feed, information }: FeedPorts): Feed {
  if (feed !== undefined) return feed
  const isRunning = information.mode === 'running'
  const message = isRunning
    ? 'The service sends its events nowhere: name a Kafka in KAFKA_BROKERS'
    : 'The feed is sent, and looked at, by a running server: start it'
  throw new ServiceError(isRunning ? 'invalid_value' : 'server_not_running', message)
}

/** The bus's own words for what an operator can mend. */
async function answered<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const isOfBus =
      error instanceof BusAwayError ||
      error instanceof BusRefusedError ||
      error instanceof UnsafeTopicError
    if (!isOfBus) throw error
    throw new ServiceError('feed_unavailable', error.message)
  }
}
