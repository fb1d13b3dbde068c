/** What the account of a key was booked, in a form that proves itself: evidence files. */

import { parsedQuery } from '@svc/contracts/parsed-input'
import type { Timer } from '@svc/contracts/ports/time'
import { EVIDENCE_MEDIA, evidenceQuery } from '@svc/contracts/wire/evidence'
import {
  accountEvidence,
  type EvidenceSources,
  requestEvidence,
} from '@svc/projections/evidence-export'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerOf } from '../../admission/callers.ts'
import type { Reads } from '../../admission/reads.ts'
import { ClientConnection } from '../../http/client-connection.ts'
import type { HttpLimits } from '../../http/limits.ts'
import { logCutAnswer } from '../../http/log-cut-answer.ts'
import { type OwnRequestPorts, ownRequest } from './own-request.ts'
import { type OwnViews, viewHolds } from './own-views.ts'

export interface EvidencePorts extends OwnViews, Pick<OwnRequestPorts, 'log'> {
  readonly reads: Pick<Reads, 'hooks'>
  readonly evidence: EvidenceSources
  readonly timer: Timer
  readonly limits: Pick<HttpLimits, 'writeStallMs'>
}

export function evidenceRoutes(ports: EvidencePorts) {
  const { evidence, reads, timer, limits } = ports
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: reads.hooks }
    // A HEAD would read the whole history for a body that nobody gets.
    app.get('/v1/evidence', { ...options, exposeHeadRoute: false }, async (request, reply) => {
      const { accountId } = callerOf(request)
      const asked = sinceOf(request)
      await viewHolds(ports, 'evidence', accountId)
      const text = accountEvidence(evidence, accountId, asked)
      // What cannot be answered is refused before the head of the answer is written.
      const { value: header = '' } = await text.next()
      const client = new ClientConnection(reply.raw, timer, limits.writeStallMs)
      reply.hijack()
      await sendWhole(client, header, text).catch((error) => logCutAnswer(request, error))
    })
    app.get<{ Params: { id: string } }>(
      '/v1/requests/:id/evidence',
      options,
      async (request, reply) => {
        const { accountId } = callerOf(request)
        const asked = sinceOf(request)
        const owned = { ...ports, views: evidence.views }
        const row = await ownRequest(owned, accountId, request.params.id)
        await viewHolds(ports, 'evidence', accountId)
        reply.type(EVIDENCE_MEDIA)
        return requestEvidence(evidence, row, asked)
      },
    )
  }
}

function sinceOf(request: FastifyRequest): { readonly since?: readonly number[] | undefined } {
  const { since } = parsedQuery(evidenceQuery, request)
  return { since: since === undefined ? undefined : [since] }
}

/**
 * Sends the file as fast as the client takes it: no page of events is read before the one before is
 * with the client. Who takes nothing for a while is cut off.
 */
async function sendWhole(
  client: ClientConnection,
  first: string,
  rest: AsyncIterable<string>,
): Promise<void> {
  client.open({ 'content-type': EVIDENCE_MEDIA })
  try {
    await client.write(first)
    for await (const text of rest) {
      if (client.gone) return
      await client.write(text)
    }
    client.end('')
  } catch (error) {
    // An answer that ends here must not look whole.
    client.cut()
    throw error
  }
}
