/** A verification of the log, with its progress. */

import type { VerifyProgress, VerifyResult } from '@svc/contracts/admin/log'
import { ServiceError } from '@svc/contracts/errors'
import type { EventStore, ReadAllRequest } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { StoreHealth } from '@svc/contracts/ports/store-health'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { type LogHead, logHeadText, readLogHead } from '@svc/infra/event-store/log-head'
import type { LogWitness } from '@svc/infra/event-store/log-witnesses'
import { verifyLog } from '@svc/infra/event-store/verify-log'
import { progressLines, ratePerSecond } from './progress-lines.ts'
import { TextsCheck } from './texts-check.ts'

export interface VerifySources {
  readonly store: Pick<EventStore, 'readAll' | 'lastPosition'>
  readonly texts: Pick<TextStore, 'find'>
  readonly pace: Pace
  /** What remembers events of this log. */
  readonly witnesses?: () => Iterable<LogWitness>
  readonly densePositions: boolean
  readonly storeHealth?: StoreHealth | undefined
}

/** @throws {ServiceError} `invalid_value` for an anchor that is none */
export async function* verifyLines(
  { store, storeHealth, texts, pace, witnesses = () => [], densePositions }: VerifySources,
  input: { readonly anchor?: string | undefined } = {},
): AsyncGenerator<VerifyProgress | VerifyResult> {
  const anchor = anchorOf(input)
  yield* progressLines<VerifyProgress, VerifyResult>(async (report, signal) => {
    const rateOf = ratePerSecond()
    const head = `${await store.lastPosition()}`
    const check = new TextsCheck(texts)
    const readAll = async (request: ReadAllRequest) => {
      const page = await store.readAll(request)
      await check.take(page)
      return page
    }
    const found = await verifyLog(
      { readAll },
      {
        ...{ pace, signal, anchor, densePositions, witnesses: witnesses() },
        onProgress: ({ events, position }) => {
          report({ type: 'progress', events, position: `${position}`, head, rate: rateOf(events) })
        },
      },
    )
    return {
      type: 'result',
      streams: found.streams,
      events: found.events,
      broken: found.broken,
      set_aside: [...(storeHealth?.setAside() ?? [])],
      missing_positions: `${found.missingPositions}`,
      contradicted: found.contradicted.map(({ source, stream, revision }) => {
        return { source, stream, revision }
      }),
      anchor: found.anchor ?? null,
      texts: check.result(),
      head: found.head === undefined ? null : logHeadText(found.head),
      position: `${found.position}`,
    }
  })
}

function anchorOf({ anchor }: { readonly anchor?: string | undefined }): LogHead | undefined {
  if (anchor === undefined) return undefined
  const head = readLogHead(anchor)
  if (head !== undefined) return head
  const message = `anchor: "${anchor}" is no head of a log, as "svc verify" prints it`
  throw new ServiceError('invalid_value', message, { param: 'anchor' })
}
