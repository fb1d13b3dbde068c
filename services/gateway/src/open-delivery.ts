/** Chooses how an answer is delivered, and gives it its heading. */
import type { PrepareAnswer } from '@svc/contracts/worker-protocol'
import type { Accepted } from '@svc/ledger/ledger'
import type { Clock, Timer } from '@svc/ledger/ports'
import type { ClientConnection } from './client-connection.ts'
import type { Delivery } from './delivery.ts'
import type { HttpLimits } from './http-limits.ts'
import type { AnswerHeading, InferenceFormat, InferenceRequest } from './inference-request.ts'
import { StreamedAnswer } from './streamed-answer.ts'
import { WholeAnswer } from './whole-answer.ts'

export interface DeliveryPorts {
  readonly clock: Clock
  readonly timer: Timer
  readonly limits: HttpLimits
}

export interface DeliveryOptions {
  readonly client: ClientConnection
  readonly format: InferenceFormat
  readonly request: InferenceRequest
  readonly prepared: PrepareAnswer
  readonly accepted: Accepted
  /** Whether the acceptance has become durable: until then nothing is sent. */
  readonly durable: Promise<boolean>
  /** Whether the whole answer is kept for a retry. */
  readonly recorded: boolean
}

export function openDelivery(ports: DeliveryPorts, options: DeliveryOptions): Delivery {
  const { clock, timer, limits } = ports
  const { client, format, request, prepared, accepted, durable, recorded } = options
  const heading: AnswerHeading = {
    requestId: accepted.requestId,
    model: request.model,
    createdAt: Math.floor(clock.nowMs() / 1_000),
    fingerprint: prepared.fingerprint,
  }
  const headers: Record<string, string> = accepted.lowered
    ? { 'x-svc-max-output-tokens-lowered': String(accepted.maxOutputTokens) }
    : {}
  if (!request.stream) {
    return new WholeAnswer(client, headers, (parts, ending) =>
      format.render(request, heading, parts, ending),
    )
  }
  return new StreamedAnswer({
    client,
    headers,
    stream: format.stream(request, heading),
    keepAlive: format.keepAlive,
    keepAliveMs: limits.streamKeepAliveMs,
    durable,
    timer,
    recorded,
  })
}
