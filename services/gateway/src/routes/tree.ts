/**
 * The Merkle tree over the log, for anybody: its checkpoint, its key and its proofs. All of it is
 * hashes, which tell nothing of the events but how many there are.
 */
import { ServiceError } from '@svc/contracts/errors'
import { parsedQuery } from '@svc/contracts/parsed-input'
import {
  type ConsistencyAnswer,
  consistencyQuery,
  type InclusionAnswer,
  inclusionQuery,
} from '@svc/contracts/wire/evidence'
import { type EvidenceSources, requireInTree } from '@svc/projections/evidence-export'
import type { FastifyInstance } from 'fastify'
import type { Reads } from '../admission/reads.ts'

export interface TreePorts {
  readonly reads: Pick<Reads, 'openHooks'>
  readonly evidence: Pick<EvidenceSources, 'views' | 'checkpoints'>
}

export function treeRoutes({ reads, evidence }: TreePorts) {
  const { views, checkpoints } = evidence
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: reads.openHooks }
    app.get('/evidence/checkpoint', options, async (_request, reply) => {
      const { note } = (await checkpoints.latest()) ?? (await checkpoints.covering(0))
      return reply.type('text/plain; charset=utf-8').send(note)
    })
    app.get('/evidence/key', options, async (_request, reply) => {
      return reply.type('text/plain; charset=utf-8').send(`${checkpoints.key}\n`)
    })
    app.get('/evidence/inclusion', options, async (request): Promise<InclusionAnswer> => {
      const { leaf, size } = parsedQuery(inclusionQuery, request)
      await requireInTree(evidence, { param: 'size', size })
      checkWithin('leaf', leaf + 1, size)
      return { leaf, size, hashes: views.inclusionProof(leaf, size).map(hexOf) }
    })
    app.get('/evidence/consistency', options, async (request): Promise<ConsistencyAnswer> => {
      const { from, to } = parsedQuery(consistencyQuery, request)
      await requireInTree(evidence, { param: 'to', size: to })
      checkWithin('from', from, to)
      return { from, to, hashes: views.consistencyProof(from, to).map(hexOf) }
    })
  }
}

function checkWithin(param: string, value: number, most: number): void {
  if (value <= most) return
  throw new ServiceError('invalid_value', `${param}: there are only ${most} events`, { param })
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
