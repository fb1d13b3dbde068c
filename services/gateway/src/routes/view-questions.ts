/**
 * What a gateway itself has to know of the log's past, beside what it asks for its callers: whether
 * an old Idempotency-Key was used, and which requests are open.
 */
import { ServiceError } from '@svc/contracts/errors'
import { parsedQuery } from '@svc/contracts/parsed-input'
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import { queryNumber } from '@svc/contracts/query-number'
import type { RunningPage, RunningQuery } from '@svc/projections/views'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ForwardedCallers } from '../views-hop/forwarded-callers.ts'
import {
  RUNNING_PATH,
  RUNNING_ROWS_MAX,
  type RunningAnswer,
  USED_KEY_PATH,
  type UsedKeyAnswer,
} from '../views-hop/questions.ts'

const usedKeyQuery = z.object({
  account: z.string().max(64),
  key_hash: z.string().max(64),
  up_to: z
    .string()
    .regex(/^\d{1,20}$/)
    .transform(BigInt),
})
const runningQuery = z.object({
  after_deadline: queryNumber(z.int()).optional(),
  after_request: z.string().max(64).default(''),
  limit: queryNumber(z.int().min(1).max(RUNNING_ROWS_MAX)),
})

export interface QuestionPorts {
  readonly usedKeys: UsedKeys
  runningRequests(query: RunningQuery): RunningPage
}

export function viewQuestionRoutes(
  { usedKeys, runningRequests }: QuestionPorts,
  callers: ForwardedCallers,
) {
  const onRequest = async ({ raw }: FastifyRequest): Promise<void> => {
    if (callers.isGateway(raw)) return
    throw new ServiceError('invalid_api_key', 'Only gateways of this service may ask this.')
  }
  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest, exposeHeadRoute: false }
    app.get(USED_KEY_PATH, options, async (request): Promise<UsedKeyAnswer> => {
      const { account, key_hash: keyHash, up_to: upTo } = parsedQuery(usedKeyQuery, request)
      return { used: (await usedKeys.find(account, keyHash, upTo)) ?? null }
    })
    app.get(RUNNING_PATH, options, async (request): Promise<RunningAnswer> => {
      const asked = parsedQuery(runningQuery, request)
      const { after_deadline: deadline, after_request: requestId, limit } = asked
      const after = deadline === undefined ? undefined : { deadline, requestId }
      const { rows, next } = runningRequests({ after, limit })
      return { rows, next: next ?? null }
    })
  }
}
