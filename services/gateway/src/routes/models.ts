/**
 * `GET /v1/models` and `GET /v1/models/{id}`, under both prefixes. Each entry says what the model
 * costs the caller. Clients of the Messages format, told by their version header, get the list in
 * the shape of their family; Codex, told by the version in its query, finds its own description of
 * the model beside the list.
 */
import { ServiceError } from '@svc/contracts/errors'
import { MODEL, type ModelList, resolveModel } from '@svc/contracts/wire/models'
import type { Ledger } from '@svc/ledger/ledger'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerOf } from '../admission/callers.ts'
import type { Reads } from '../admission/reads.ts'
import { clientFamilyOf } from '../http/client-family.ts'
import { servedBy, type WorkerPool } from '../routing/worker-pool.ts'
import { codexModel } from './codex-models.ts'
import { type ShownPrices, shownPrices } from './prices.ts'

const OWNER = 'svc'
const MS_PER_SECOND = 1_000

export interface ModelPorts {
  readonly ledger: Pick<Ledger, 'pricing' | 'recentPriceList'>
  readonly workers: Pick<WorkerPool, 'workers'>
  readonly reads: Pick<Reads, 'hooks'>
  /** Seconds since 1970. */
  readonly createdAt: number
}

export function modelRoutes(ports: ModelPorts) {
  const { ledger, workers, reads, createdAt } = ports
  const pricesFor = async (request: FastifyRequest): Promise<ShownPrices> =>
    shownPrices(ports, await ledger.recentPriceList(callerOf(request).accountId))

  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: reads.hooks }
    for (const prefix of ['/v1', '/pro/v1']) {
      app.get(`${prefix}/models`, options, async (request) => {
        const prices = await pricesFor(request)
        if (isMessagesClient(request)) return messagesList(createdAt, workers, prices)
        const list: ModelList = { object: 'list', data: [openAiModel(createdAt, prices)] }
        if (!isCodex(request)) return list
        return { ...list, models: [codexModel(servedBy(workers)?.contextSize)] }
      })
      // A model's id may hold slashes.
      app.get<{ Params: { '*': string } }>(`${prefix}/models/*`, options, async (request) => {
        if (resolveModel(request.params['*']) === undefined) throw unknownModel()
        const prices = await pricesFor(request)
        if (isMessagesClient(request)) return messagesModel(createdAt, workers, prices)
        return openAiModel(createdAt, prices)
      })
    }
  }
}

function openAiModel(createdAt: number, prices: ShownPrices): ModelList['data'][number] {
  return { id: MODEL, object: 'model', created: createdAt, owned_by: OWNER, ...prices }
}

function isMessagesClient({ raw }: FastifyRequest): boolean {
  return clientFamilyOf(raw) === 'anthropic'
}

function isCodex({ query }: FastifyRequest): boolean {
  return (query as { client_version?: string }).client_version !== undefined
}

/** One page holds all there is, whatever `limit`, `after_id` and `before_id` say. */
function messagesList(
  createdAt: number,
  workers: Pick<WorkerPool, 'workers'>,
  prices: ShownPrices,
) {
  const data = [messagesModel(createdAt, workers, prices)]
  return { data, has_more: false, first_id: MODEL, last_id: MODEL }
}

function messagesModel(
  createdAt: number,
  workers: Pick<WorkerPool, 'workers'>,
  prices: ShownPrices,
) {
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
    ...prices,
  }
}

function unknownModel(): ServiceError {
  const message = `The only callable model is "${MODEL}".`
  return new ServiceError('not_found', message, { param: 'model' })
}
