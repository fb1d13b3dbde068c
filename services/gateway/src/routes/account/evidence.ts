/** What the account of a key was booked, in a form that proves itself: evidence files. */
import { Readable } from 'node:stream'
import { ServiceError } from '@svc/contracts/errors'
import { requestIdOf } from '@svc/contracts/ids'
import { EVIDENCE_MEDIA, evidenceQuery } from '@svc/contracts/wire/evidence'
import {
  accountEvidence,
  type EvidenceSources,
  requestEvidence,
} from '@svc/projections/evidence-export'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../../admission/callers.ts'
import type { Reads } from '../../admission/reads.ts'
import { type OwnViews, viewHolds } from './own-views.ts'
import { readQuery } from './query.ts'

export interface EvidencePorts extends OwnViews {
  readonly reads: Pick<Reads, 'hooks'>
  readonly evidence: EvidenceSources
}

export function evidenceRoutes(ports: EvidencePorts) {
  const { evidence, reads } = ports
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: reads.hooks }
    app.get('/v1/evidence', options, async (request, reply) => {
      const { accountId } = callerOf(request)
      const asked = sinceOf(request.query)
      await viewHolds(ports, 'evidence', accountId)
      const text = accountEvidence(evidence, accountId, asked)
      // What cannot be answered is refused before the head of the answer is written.
      const { value: header = '' } = await text.next()
      reply.type(EVIDENCE_MEDIA)
      return reply.send(Readable.from(following(header, text)))
    })
    app.get<{ Params: { id: string } }>(
      '/v1/requests/:id/evidence',
      options,
      async (request, reply) => {
        const { accountId } = callerOf(request)
        const asked = sinceOf(request.query)
        const requestId = requestIdOf(request.params.id)
        if (requestId === undefined) throw notFound()
        await viewHolds(ports, 'requests', accountId)
        const row = await evidence.views.request(requestId)
        if (row?.accountId !== accountId) throw notFound()
        await viewHolds(ports, 'evidence', accountId)
        reply.type(EVIDENCE_MEDIA)
        return requestEvidence(evidence, row, asked)
      },
    )
  }
}

function sinceOf(query: unknown): { readonly since?: readonly number[] } {
  const { since } = readQuery(evidenceQuery, query)
  return since === undefined ? {} : { since: [since] }
}

async function* following(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

/** The same for a request that never was and for one of somebody else. */
function notFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such request.', { param: 'id' })
}
