/** Counts inference requests, and how long they take, as they go. */
import { errorCatalogue, type ServiceError } from '@svc/contracts/errors'
import { type Latencies, type WireFormat, wireFormats } from '@svc/contracts/events/account'
import type {
  BilledTokens,
  ObservedRequest,
  ObservedRun,
  RequestObserver,
} from '@svc/contracts/ports/request-observer'
import { tokenClasses } from '@svc/contracts/tokens'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { gatewayMetrics } from './catalogue.ts'

/** Seconds, as OpenTelemetry's conventions ask for, up to the longest that a request may take. */
const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84,
  327.68, 655.36,
]
/** The conventions end at 10 s. A long prompt on a processor takes minutes. */
const FIRST_TOKEN_BUCKETS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120,
  300, 600,
]
/** The conventions begin at 10 ms. A small model, or a GPU, takes less for every token. */
const TOKEN_BUCKETS = [
  0.001, 0.0025, 0.005, 0.0075, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1,
  2.5,
]
const MILLISECONDS = 1_000
const FIRST_SERVER_ERROR = 500

const outcomes = ['finished', 'stopped', 'failed', 'refused', 'replayed'] as const
type Outcome = (typeof outcomes)[number]
type Name = keyof typeof gatewayMetrics

export class RequestMetrics implements RequestObserver {
  readonly #registry = new Registry()
  readonly requests = this.#counter('svc_requests_total')
  readonly errors = this.#counter('svc_request_errors_total')
  readonly tokens = this.#counter('svc_billed_tokens_total')
  readonly duration = this.#histogram('gen_ai_server_request_duration_seconds', DURATION_BUCKETS)
  readonly firstToken = this.#histogram(
    'gen_ai_server_time_to_first_token_seconds',
    FIRST_TOKEN_BUCKETS,
  )
  readonly perToken = this.#histogram('gen_ai_server_time_per_output_token_seconds', TOKEN_BUCKETS)
  readonly open = new Gauge(this.#options('svc_requests_open'))

  constructor() {
    // A series that begins with its first event hides that event from `rate` and `increase`. The
    // rarest errors are the worst, and each of them may be a first one.
    for (const format of wireFormats) {
      for (const outcome of outcomes) this.requests.inc({ format, outcome }, 0)
      for (const code of Object.keys(errorCatalogue)) this.errors.inc({ format, code }, 0)
      for (const times of [this.duration, this.firstToken, this.perToken]) times.zero({ format })
      this.open.set({ format }, 0)
    }
    for (const name of tokenClasses) this.tokens.inc({ class: name }, 0)
  }

  begin(format: WireFormat): ObservedRequest {
    return new CountedRequest(this, format)
  }

  refused(format: WireFormat, error: ServiceError): void {
    this.requests.inc({ format, outcome: outcomeOf(error) })
    this.errors.inc({ format, code: error.code })
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #counter(name: Name): Counter {
    return new Counter(this.#options(name))
  }

  #histogram(name: Name, buckets: number[]): Histogram {
    return new Histogram({ ...this.#options(name), buckets })
  }

  #options(name: Name) {
    const { help, labels } = gatewayMetrics[name]
    return { name, help, labelNames: [...labels], registers: [this.#registry] }
  }
}

class CountedRequest implements ObservedRequest {
  readonly #metrics: RequestMetrics
  readonly #format: WireFormat
  readonly #beganAtMs = performance.now()
  /** Whether a run took place. An answer that is given again has none. */
  #ran = false
  #failure: ServiceError | undefined

  constructor(metrics: RequestMetrics, format: WireFormat) {
    this.#metrics = metrics
    this.#format = format
    metrics.open.inc({ format })
  }

  named(): void {}

  settled({ firstTokenAtMs, meter }: ObservedRun, billed: readonly BilledTokens[]): void {
    this.#ran = true
    const { duration, firstToken, perToken } = this.#metrics
    const labels = { format: this.#format }
    duration.observe(labels, (performance.now() - this.#beganAtMs) / MILLISECONDS)
    if (firstTokenAtMs !== undefined) {
      firstToken.observe(labels, (firstTokenAtMs - this.#beganAtMs) / MILLISECONDS)
    }
    const pace = meter && secondsPerToken(meter)
    if (pace !== undefined) perToken.observe(labels, pace)
    for (const line of billed) {
      this.#metrics.tokens.inc({ class: line.class }, line.tokens)
    }
  }

  broke(error: ServiceError): void {
    this.#failure = error
  }

  ended(outcome: 'answered' | 'left' | ServiceError): void {
    const { requests, open } = this.#metrics
    const format = this.#format
    open.dec({ format })
    const failure = typeof outcome === 'string' ? this.#failure : outcome
    if (outcome === 'left') requests.inc({ format, outcome: 'stopped' })
    else if (failure !== undefined) this.#metrics.refused(format, failure)
    else requests.inc({ format, outcome: this.#ran ? 'finished' : 'replayed' })
  }
}

function outcomeOf({ entry }: ServiceError): Outcome {
  return entry.status < FIRST_SERVER_ERROR ? 'refused' : 'failed'
}

/** Measures by the worker's clock: a slow reader must not make the model look slow. */
function secondsPerToken({
  latencies: { firstTokenMs, totalMs },
  outputTokens,
}: {
  readonly latencies: Latencies
  readonly outputTokens: number
}): number | undefined {
  if (firstTokenMs === null || outputTokens < 2) return undefined
  return (totalMs - firstTokenMs) / (outputTokens - 1) / MILLISECONDS
}
