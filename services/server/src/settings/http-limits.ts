/** The limits of the HTTP interface: the settings over the defaults. */
import { type HttpLimits, httpLimits } from '@svc/gateway/http/limits'
import type { SettingName, Settings } from './settings.ts'

/** Which limit each of these settings puts. */
export const limitOfSetting = {
  SVC_MAX_BODY_BYTES: 'bodyBytes',
  SVC_MAX_HEADER_BYTES: 'headerBytes',
  SVC_MAX_HEADERS: 'headerCount',
  SVC_MAX_URL_BYTES: 'urlBytes',
  SVC_MAX_JSON_DEPTH: 'jsonDepth',
  SVC_HEADERS_TIMEOUT_MS: 'headersTimeoutMs',
  SVC_REQUEST_TIMEOUT_MS: 'requestTimeoutMs',
  SVC_KEEP_ALIVE_MS: 'keepAliveMs',
  SVC_MAX_REQUESTS_PER_SOCKET: 'requestsPerSocket',
  SVC_MAX_SOCKETS: 'sockets',
  SVC_MAX_REQUESTS_PER_KEY: 'requestsPerKey',
  SVC_MAX_REQUESTS_PER_ACCOUNT: 'requestsPerAccount',
  SVC_MAX_REQUESTS: 'requestsInFlight',
  SVC_MAX_READS_PER_ACCOUNT: 'readsPerAccount',
  SVC_MAX_READS_PER_SECOND: 'readsPerSecond',
  SVC_MAX_WAITING_PER_ACCOUNT: 'waitingPerAccount',
  SVC_MAX_WAITING: 'waitingRequests',
  SVC_MAX_WAIT_MS: 'waitMs',
  SVC_RATE_PER_KEY: 'requestsPerMinutePerKey',
  SVC_RATE_PER_ACCOUNT: 'requestsPerMinutePerAccount',
  SVC_RATE_PER_ADDRESS: 'requestsPerMinutePerAddress',
  SVC_MAX_BAD_KEYS: 'badKeysPerMinute',
  SVC_MAX_REFUSALS: 'refusalsPerSecond',
  SVC_REFUSAL_PAUSE_MS: 'refusalPauseMs',
  SVC_MAX_SOCKETS_PER_ADDRESS: 'socketsPerAddress',
  SVC_MAX_NEW_SOCKETS_PER_SECOND: 'newSocketsPerSecond',
  SVC_DISPLACED_SOCKET_MS: 'displacedSocketMs',
  SVC_MAX_PREPARATIONS_PER_ACCOUNT: 'preparationsPerAccount',
  SVC_MAX_PREPARATIONS: 'preparationsInFlight',
  SVC_MAX_UNPAID_BODY_BYTES: 'unpaidBodyBytes',
  SVC_SMALL_BODY_BYTES: 'smallBodyBytes',
  SVC_MAX_BODY_BYTES_PER_ACCOUNT: 'bodyBytesPerAccount',
  SVC_MAX_BODY_BYTES_IN_FLIGHT: 'bodyBytesInFlight',
  SVC_MAX_BODY_BYTES_PER_SECOND: 'bodyBytesPerSecond',
  SVC_REQUEST_DEADLINE_MS: 'requestDeadlineMs',
  SVC_SETTLING_ALLOWANCE_MS: 'settlingAllowanceMs',
  SVC_WRITE_STALL_MS: 'writeStallMs',
  SVC_STREAM_KEEP_ALIVE_MS: 'streamKeepAliveMs',
  SVC_CANCEL_WAIT_MS: 'cancelWaitMs',
  SVC_DEFAULT_MAX_OUTPUT_TOKENS: 'defaultMaxOutputTokens',
} as const satisfies Partial<Record<SettingName, keyof HttpLimits>>

export function httpLimitsOf(settings: Settings): HttpLimits {
  const given: { -readonly [name in keyof HttpLimits]?: number } = {}
  for (const [setting, limit] of Object.entries(limitOfSetting)) {
    const value = settings[setting as keyof typeof limitOfSetting]
    if (value !== undefined) given[limit] = value
  }
  return httpLimits(given)
}
