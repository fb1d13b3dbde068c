/**
 * What goes with `POST /v1/responses` and costs nothing: to read and delete what was stored, and to
 * count. All under both prefixes.
 */
import { ServiceError } from '@svc/contracts/errors'
import { parsedInput } from '@svc/contracts/parsed-input'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import type { Clock } from '@svc/contracts/ports/time'
import { queryNumber } from '@svc/contracts/query-number'
import type { JsonObject } from '@svc/contracts/strict-json'
import { MODEL } from '@svc/contracts/wire/models'
import type { ThreadTurns } from '@svc/infra/turns/thread-turns'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type AdmissionHooks, inItsPlace } from '../admission/admission.ts'
import { authenticated, type Callers, callerOf } from '../admission/callers.ts'
import type { PreparationTurns } from '../admission/preparation-turns.ts'
import type { Reads } from '../admission/reads.ts'
import type { Item } from '../formats/responses/items/items.ts'
import { parseResponsesRequest } from '../formats/responses/parse.ts'
import { ResponseStore, type StoredResponse } from '../formats/responses/response-store.ts'
import type { HttpLimits } from '../http/limits.ts'
import { bodyBytes, readJsonObject, refuseOtherMedia } from '../http/request-body.ts'
import { countPrompt, type PreparePorts } from '../request/prepare.ts'

const PAGE_ITEMS_MAX = 100
const DEFAULT_PAGE_ITEMS = 20
const PREFIXES = ['/v1/responses', '/pro/v1/responses'] as const

export interface ResponsesPorts {
  readonly workers: PreparePorts['workers']
  readonly warnings: PreparePorts['warnings']
  readonly preparations: Pick<PreparationTurns, 'inTurn'>
  readonly bodyTurns: ThreadTurns
  readonly callers: Pick<Callers, 'identify'>
  readonly reads: Pick<Reads, 'hooks'>
  readonly storedResponses: ExpiringStore
  readonly textSeal: TextSeal
  readonly clock: Clock
  readonly limits: HttpLimits
}

type ById = { Params: { id: string } }

export function responsesRoutes(ports: ResponsesPorts, admission: AdmissionHooks) {
  const { callers, limits, reads, preparations, bodyTurns } = ports
  const store = new ResponseStore(ports)
  const onRequest = [authenticated(callers)]
  const reading = { onRequest: reads.hooks }

  return async (app: FastifyInstance): Promise<void> => {
    admission.prepare(app)
    for (const prefix of PREFIXES) {
      const refusing = { ...reading, exposeHeadRoute: false, config: { servesNothing: true } }
      app.get(prefix, refusing, refuseUpgrade)
      app.get<ById>(`${prefix}/:id`, reading, async (request, reply) => {
        refuseReplay(request)
        const { response } = await storedResponse(request)
        return asJson(request, reply, () => response)
      })
      app.get<ById>(`${prefix}/:id/input_items`, reading, async (request, reply) => {
        const { input } = await storedResponse(request)
        return asJson(request, reply, () => itemPage(input, parsedInput(pageFields, request.query)))
      })
      // Clients may send a body with these, and so they take a place.
      const withBody = { onRequest: [...onRequest, admission.admit] }
      app.delete<ById>(`${prefix}/:id`, withBody, async (request) => {
        const { id } = request.params
        if (await store.remove(callerOf(request).accountId, id)) {
          return { id, object: 'response', deleted: true }
        }
        throw notStored(id)
      })
      app.post<ById>(`${prefix}/:id/cancel`, withBody, async (request) => {
        await storedResponse(request)
        const message = 'Only responses that run in the background can be cancelled, and none do.'
        throw new ServiceError('invalid_request', message)
      })
      const counting = { onRequest: [...onRequest, refuseOtherMedia, admission.admit] }
      app.post(`${prefix}/input_tokens`, counting, (request, reply) =>
        inItsPlace(request, reply, (stop) => countInput(request, stop)),
      )
    }
  }

  /** Written in a turn of its account: an answer can have megabytes. */
  async function asJson(request: FastifyRequest, reply: FastifyReply, answer: () => object) {
    const { accountId } = callerOf(request)
    const text = await bodyTurns.run(accountId, () => JSON.stringify(answer()))
    reply.type('application/json; charset=utf-8')
    return text
  }

  async function storedResponse(request: FastifyRequest<ById>): Promise<StoredResponse> {
    const { id } = request.params
    const stored = await store.load(callerOf(request).accountId, id)
    if (stored === undefined) throw notStored(id)
    return stored
  }

  /** What the same request would be billed for, whether it fits or not. */
  async function countInput(request: FastifyRequest, stop: AbortSignal) {
    const { accountId } = callerOf(request)
    const context = { requestId: request.id, accountId }
    const parsed = await bodyTurns.run(accountId, () => {
      const body = readJsonObject(bodyBytes(request.body), { depth: limits.jsonDepth })
      return parseResponsesRequest(withModel(body), context, { ...ports, store })
    })
    const tokens = await preparations.inTurn(accountId, stop, () =>
      countPrompt(ports, accountId, parsed.request, stop),
    )
    return { object: 'response.input_tokens', input_tokens: tokens }
  }
}

/** Names the model where the body does not, because clients need not name one to count. */
function withModel(body: JsonObject): JsonObject {
  return { ...body, model: body.model ?? MODEL }
}

/**
 * Agents try a WebSocket first. At 426 they go on over HTTP at once; at any other status they try
 * again, or give up.
 */
async function refuseUpgrade({ raw }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (raw.headers.upgrade === undefined) {
    reply.callNotFound()
    return reply
  }
  reply.header('upgrade', 'HTTP/1.1')
  throw new ServiceError('upgrade_refused', 'Responses are spoken over HTTP: send a POST.')
}

function refuseReplay({ query }: FastifyRequest): void {
  if ((query as { stream?: string }).stream !== 'true') return
  const message = 'A stored response is not streamed again: read it whole.'
  throw new ServiceError('unsupported_value', message, { param: 'stream' })
}

function notStored(id: string): ServiceError {
  const message = `No response ${JSON.stringify(id.slice(0, 64))} is stored for this account.`
  return new ServiceError('not_found', message, { param: 'response_id' })
}

const pageFields = z.object({
  after: z.string().optional(),
  limit: queryNumber(z.int().min(1).max(PAGE_ITEMS_MAX)).default(DEFAULT_PAGE_ITEMS),
  order: z.enum(['asc', 'desc']).default('desc'),
})
type PageQuery = z.output<typeof pageFields>

function itemPage(input: readonly Item[], { after, limit, order }: PageQuery) {
  const items = order === 'asc' ? input : input.toReversed()
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0) {
    throw new ServiceError('invalid_value', 'No item has this id.', { param: 'after' })
  }
  const data = items.slice(start, start + limit)
  return {
    object: 'list',
    data,
    has_more: start + limit < items.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}
