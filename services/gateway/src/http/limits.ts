/**
 * Limits of the HTTP interface. All are settable; the defaults serve 200 concurrent requests of one
 * key, in turns.
 */

export interface HttpLimits {
  /** Agents send 50 KB of instructions and tools before the first message. */
  readonly bodyBytes: number
  /** The most bytes of the request line and headers. */
  readonly headerBytes: number
  /**
   * The most headers. Node drops those behind its own limit without a word, so they are counted and
   * refused.
   */
  readonly headerCount: number
  readonly urlBytes: number
  readonly jsonDepth: number
  readonly headersTimeoutMs: number
  /**
   * The longest time from the beginning of a body's reading, which is when the request has its
   * place, to its last byte.
   */
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
  /**
   * How much later than its client is told an idle connection is closed: a client that was held up,
   * or does not heed it, sends its next request on a connection that is still there.
   */
  readonly keepAliveGraceMs: number
  readonly requestsPerSocket: number
  readonly sockets: number
  readonly socketsPerAddress: number
  /**
   * How many new sockets one address gets that has many which were served nothing; more wait
   * unread. 0 sets no limit.
   */
  readonly newSocketsPerSecond: number
  /** How long a connection that was served nothing stays open, unread, once it made room. */
  readonly displacedSocketMs: number
  /** Requests that bring a body and run at once: of one key, of one account, and of all. */
  readonly requestsPerKey: number
  readonly requestsPerAccount: number
  readonly requestsInFlight: number
  /** The same bounds while no other account has sent any for a minute. */
  readonly requestsPerKeyAlone: number
  readonly requestsPerAccountAlone: number
  /** Requests without a body, such as for a balance, that one account has answered at once. */
  readonly readsPerAccount: number
  /** How many reads one account gets in a second; more wait. 0 sets no limit. */
  readonly readsPerSecond: number
  /** Requests beyond these that wait for their turn, their bodies unread. */
  readonly waitingPerAccount: number
  readonly waitingRequests: number
  /** How long they may wait, in milliseconds. */
  readonly waitMs: number
  /** Prompts that are rendered, counted and compiled at once: of one account and of all. */
  readonly preparationsPerAccount: number
  readonly preparationsInFlight: number
  readonly preparationsPerAccountAlone: number
  /** The largest body of a caller without credit. */
  readonly unpaidBodyBytes: number
  /** Bodies up to here are bounded by the places alone. */
  readonly smallBodyBytes: number
  /** Bytes of bodies whose requests run, of one account and of all. */
  readonly bodyBytesPerAccount: number
  readonly bodyBytesInFlight: number
  /**
   * How many bytes of bodies that are not small one account gets per second; more wait. 0 sets no
   * limit.
   */
  readonly bodyBytesPerSecond: number
  /** Requests per minute; 0 sets no limit. */
  readonly requestsPerMinutePerKey: number
  readonly requestsPerMinutePerAccount: number
  readonly requestsPerMinutePerAddress: number
  /** How many wrong keys one address may send per minute. */
  readonly badKeysPerMinute: number
  /** Refusals that one account, or one address without a key, is sent at once in a second. */
  readonly refusalsPerSecond: number
  /** How long each refusal beyond them waits; 0 sets no pause. */
  readonly refusalPauseMs: number
  /** The longest that one request may run, from its acceptance. */
  readonly requestDeadlineMs: number
  /**
   * The time added to that deadline, so that nothing that still settles is taken for orphaned: the
   * wait for the final meter, and an append whose outcome is unknown for long.
   */
  readonly settlingAllowanceMs: number
  /** How long a client may read nothing of its answer; then it is cut off, as if it had left. */
  readonly writeStallMs: number
  /** An idle stream gets a keep-alive at least this often. */
  readonly streamKeepAliveMs: number
  /** How long the gateway waits for the final meter of a cancelled run. */
  readonly cancelWaitMs: number
  /** Output tokens of a request that names no limit, when the context has room for them. */
  readonly defaultMaxOutputTokens: number
}

const KIB = 1024

export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 4 * KIB * KIB,
  headerBytes: 16 * KIB,
  headerCount: 64,
  urlBytes: 2 * KIB,
  jsonDepth: 32,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 15_000,
  keepAliveMs: 10_000,
  keepAliveGraceMs: 20_000,
  requestsPerSocket: 1_000,
  sockets: 2_000,
  socketsPerAddress: 1_000,
  newSocketsPerSecond: 100,
  displacedSocketMs: 4_000,
  requestsPerKey: 8,
  requestsPerAccount: 16,
  requestsInFlight: 1_024,
  requestsPerKeyAlone: 24,
  requestsPerAccountAlone: 32,
  readsPerAccount: 8,
  readsPerSecond: 100,
  waitingPerAccount: 256,
  waitingRequests: 1_024,
  waitMs: 60_000,
  preparationsPerAccount: 2,
  preparationsInFlight: 8,
  preparationsPerAccountAlone: 4,
  unpaidBodyBytes: 64 * KIB,
  smallBodyBytes: 64 * KIB,
  bodyBytesPerAccount: 16 * KIB * KIB,
  bodyBytesInFlight: 64 * KIB * KIB,
  bodyBytesPerSecond: 8 * KIB * KIB,
  requestsPerMinutePerKey: 0,
  requestsPerMinutePerAccount: 0,
  requestsPerMinutePerAddress: 0,
  badKeysPerMinute: 20,
  refusalsPerSecond: 50,
  refusalPauseMs: 1_000,
  requestDeadlineMs: 600_000,
  settlingAllowanceMs: 60_000,
  writeStallMs: 30_000,
  streamKeepAliveMs: 15_000,
  cancelWaitMs: 5_000,
  defaultMaxOutputTokens: 1_024,
}

/** The bounds of an account that is alone, by the bound that holds while others come. */
const ALONE = {
  requestsPerKey: 'requestsPerKeyAlone',
  requestsPerAccount: 'requestsPerAccountAlone',
  preparationsPerAccount: 'preparationsPerAccountAlone',
} as const satisfies Partial<Record<keyof HttpLimits, keyof HttpLimits>>

/** The defaults where nothing else is given. A bound that is given holds for who is alone, too. */
export function httpLimits(given: Partial<HttpLimits>): HttpLimits {
  const limits = { ...defaultHttpLimits, ...given }
  for (const [bound, alone] of Object.entries(ALONE)) {
    limits[alone] = given[alone] ?? given[bound as keyof typeof ALONE] ?? limits[alone]
  }
  return limits
}

/** The places of an account that is alone, by the names of those that hold while others come. */
export function placesAlone(
  limits: HttpLimits,
): Pick<HttpLimits, 'requestsPerKey' | 'requestsPerAccount'> {
  const { requestsPerKeyAlone, requestsPerAccountAlone } = limits
  return { requestsPerKey: requestsPerKeyAlone, requestsPerAccount: requestsPerAccountAlone }
}
