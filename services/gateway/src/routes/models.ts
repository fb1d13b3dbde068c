/**
 * `GET /v1/models` and `GET /v1/models/{id}`, under both prefixes. Clients of the Messages format,
 * told by their version header, get the list in the shape of their family; Codex, told by the
 * version in its query, finds its own description of the model beside the list.
 */
import { ServiceError } from '@svc/contracts/errors'
import { MODEL, type ModelList, resolveModel } from '@svc/contracts/wire/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Reads } from '../admission/reads.ts'
import { clientFamilyOf } from '../http/client-family.ts'
import { servedBy, type WorkerPool } from '../routing/worker-pool.ts'
import { codexModel } from './codex-models.ts'

const OWNER = 'svc'
const MS_PER_SECOND = 1_000

/** @param createdAt seconds since 1970 */
export function modelRoutes(
  reads: Pick<Reads, 'hooks'>,
  createdAt: number,
  workers: Pick<WorkerPool, 'workers'>,
) {
  const model: ModelList['data'][number] = {
    id: MODEL,
    object: 'model',
    created: createdAt,
    owned_by: OWNER,
  }
  const list: ModelList = { object: 'list', data: [model] }

  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: reads.hooks }
    for (const prefix of ['/v1', '/pro/v1']) {
      app.get(`${prefix}/models`, options, (request) => {
        if (isMessagesClient(request)) return messagesList(createdAt, workers)
        if (!isCodex(request)) return list
        return { ...list, models: [codexModel(servedBy(workers)?.contextSize)] }
      })
      // A model's id may hold slashes.
      app.get<{ Params: { '*': string } }>(`${prefix}/models/*`, options, (request) => {
        if (resolveModel(request.params['*']) === undefined) throw unknownModel()
        return isMessagesClient(request) ? messagesModel(createdAt, workers) : model
      })
    }
  }
}

function isMessagesClient({ raw }: FastifyRequest): boolean {
  return clientFamilyOf(raw) === 'anthropic'
}

function isCodex({ query }: FastifyRequest): boolean {
  return (query as { client_version?: string }).client_version !== undefined
}

/** One page holds all there is, whatever `limit`, `after_id` and `before_id` say. */
function messagesList(createdAt: number, workers: Pick<WorkerPool, 'workers'>) {
  const data = [messagesModel(createdAt, workers)]
  return { data, has_more: false, first_id: MODEL, last_id: MODEL }
}

function messagesModel(createdAt: number, workers: Pick<WorkerPool, 'workers'>) {
  const contextSize = servedBy(workers)?.contextSize
  return {
    type: 'model',
    id: MODEL,
    display_name: MODEL,
    created_at: new Date(createdAt * MS_PER_SECOND).toISOString(),
    max_input_tokens: contextSize ?? null,
    max_tokens: contextSize ?? null,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  }
}

function unknownModel(): ServiceError {
  const message = `The only callable model is "${MODEL}".`
  return new ServiceError('not_found', message, { param: 'model' })
}
