/** `GET /v1/models` and `GET /v1/models/{id}`, under both prefixes. */
import { ServiceError } from '@svc/contracts/errors'
import { MODEL, type ModelList, resolveModel } from '@svc/contracts/wire/models'
import type { FastifyInstance } from 'fastify'
import { type Authenticator, authenticated } from './authenticated.ts'

const OWNER = 'svc'

/** @param createdAt seconds since 1970 */
export function modelRoutes(ledger: Authenticator, createdAt: number) {
  const model: ModelList['data'][number] = {
    id: MODEL,
    object: 'model',
    created: createdAt,
    owned_by: OWNER,
  }
  const list: ModelList = { object: 'list', data: [model] }

  return async (app: FastifyInstance): Promise<void> => {
    const options = { onRequest: authenticated(ledger) }
    for (const prefix of ['/v1', '/pro/v1']) {
      app.get(`${prefix}/models`, options, () => list)
      app.get<{ Params: { id: string } }>(`${prefix}/models/:id`, options, ({ params }) => {
        if (resolveModel(params.id) !== undefined) return model
        throw new ServiceError('not_found', `The only callable model is "${MODEL}".`, {
          param: 'model',
        })
      })
    }
  }
}
