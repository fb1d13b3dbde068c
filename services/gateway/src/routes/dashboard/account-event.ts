/** What an event of the account is about, by its id or by that of the movement that it made. */
import {
  type DashboardOutput,
  dashboardAccountOperations as declared,
} from '@svc/contracts/dashboard/operations'
import { ServiceError } from '@svc/contracts/errors'
import { accountStream } from '@svc/contracts/events/account'
import { parsedInput } from '@svc/contracts/parsed-input'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { FastifyInstance } from 'fastify'
import type { Reads } from '../../admission/reads.ts'

export interface AccountEventPorts {
  readonly views: { eventOf(id: string): Promise<RecordedEvent | undefined> }
  readonly reads: Pick<Reads, 'hooks'>
}

export function accountEventRoute({ views, reads }: AccountEventPorts) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: reads.hooks, exposeHeadRoute: false }
    app.get(
      '/events/:event_id',
      options,
      async ({ params }): Promise<DashboardOutput<'accountEvent'>> => {
        const { account_id: accountId, event_id: id } = parsedInput(
          declared.accountEvent.input,
          params,
        )
        const event = await views.eventOf(id)
        if (event?.stream !== accountStream(accountId)) throw notFound()
        const { at, requestId } = JSON.parse(event.data) as { at: number; requestId?: string }
        return {
          type: event.type,
          at: new Date(at).toISOString(),
          request_id: requestId ?? null,
        }
      },
    )
  }
}

/** Gives the same refusal for an event that never was and for one of somebody else. */
function notFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such event.', { param: 'event_id' })
}
