/**
 * `POST /v1/messages/count_tokens`: the input that the same request would be billed for. It costs
 * nothing and needs no balance; agents ask some twenty-five at once.
 */
import type { ThreadTurns } from '@svc/infra/turns/thread-turns'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AdmissionHooks, inItsPlace } from '../admission/admission.ts'
import { authenticated, type Callers, callerOf } from '../admission/callers.ts'
import type { PreparationTurns } from '../admission/preparation-turns.ts'
import { parseCountRequest } from '../formats/messages/parse.ts'
import type { HttpLimits } from '../http/limits.ts'
import { bodyBytes, readJsonObject, refuseOtherMedia } from '../http/request-body.ts'
import { countPrompt, type PreparePorts } from '../request/prepare.ts'

export interface CountTokensPorts {
  readonly workers: PreparePorts['workers']
  readonly warnings: PreparePorts['warnings']
  readonly preparations: Pick<PreparationTurns, 'inTurn'>
  readonly bodyTurns: ThreadTurns
  readonly callers: Pick<Callers, 'identify'>
  readonly limits: HttpLimits
}

export function countTokensRoute(ports: CountTokensPorts, admission: AdmissionHooks) {
  const { callers } = ports
  return async (app: FastifyInstance): Promise<void> => {
    admission.prepare(app)
    const onRequest = [authenticated(callers), refuseOtherMedia, admission.admit]
    app.post('/v1/messages/count_tokens', { onRequest }, (request, reply) =>
      inItsPlace(request, reply, (stop) => countTokens(ports, request, stop)),
    )
  }
}

async function countTokens(
  { preparations, bodyTurns, limits, ...ports }: CountTokensPorts,
  request: FastifyRequest,
  stop: AbortSignal,
) {
  const { accountId } = callerOf(request)
  const asked = await bodyTurns.run(accountId, () =>
    parseCountRequest(readJsonObject(bodyBytes(request.body), { depth: limits.jsonDepth })),
  )
  const tokens = await preparations.inTurn(accountId, stop, () =>
    countPrompt(ports, accountId, asked, stop),
  )
  return { input_tokens: tokens }
}
