/** Chooses how an answer is delivered, and gives it its heading. */
import type { Clock, Timer } from '@svc/contracts/ports/time'
import type { PrepareResponse } from '@svc/contracts/worker/protocol'
import type { Accepted } from '@svc/ledger/ledger'
import type { AnswerHeading, ParsedInference } from '../formats/inference-request.ts'
import type { ClientConnection } from '../http/client-connection.ts'
import type { HttpLimits } from '../http/limits.ts'
import type { Delivery } from './delivery.ts'
import { StreamedAnswer } from './streamed-answer.ts'
import { WholeAnswer } from './whole-answer.ts'

export interface DeliveryPorts {
  readonly clock: Clock
  readonly timer: Timer
  readonly limits: HttpLimits
}

export interface DeliveryOptions {
  readonly client: ClientConnection
  readonly parsed: ParsedInference
  readonly prepared: PrepareResponse
  readonly accepted: Accepted
  /** Whether the acceptance has become durable: until then nothing is sent. */
  readonly durable: Promise<boolean>
  /** Whether the whole answer is kept for a retry. */
  readonly recorded: boolean
}

export function openDelivery(ports: DeliveryPorts, options: DeliveryOptions): Delivery {
  const { clock, timer, limits } = ports
  const { client, parsed, prepared, accepted, durable, recorded } = options
  const heading: AnswerHeading = {
    requestId: accepted.requestId,
    model: parsed.request.model,
    createdAt: Math.floor(clock.nowMs() / 1_000),
    promptTokens: prepared.tokens.length,
    fingerprint: prepared.fingerprint,
  }
  const headers: Record<string, string> = { ...parsed.headers }
  if (accepted.lowered) {
    headers['x-svc-max-output-tokens-lowered'] = String(accepted.maxOutputTokens)
  }
  if (!parsed.request.stream) {
    return new WholeAnswer(client, headers, (parts, ending) =>
      parsed.render(heading, parts, ending),
    )
  }
  return new StreamedAnswer({
    client,
    headers,
    stream: parsed.stream(heading),
    keepAliveMs: limits.streamKeepAliveMs,
    durable,
    timer,
    recorded,
  })
}
