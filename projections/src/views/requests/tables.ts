/** Reads and writes the rows of the requests view. */
import type { DatabaseSync } from 'node:sqlite'
import { accountStream, type FinishReason, type WireFormat } from '@svc/contracts/events/account'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { RequestStatus } from '@svc/contracts/wire/billing'
import type { RowTable } from '../../touched-rows.ts'
import type { RequestState } from './project.ts'
import * as stored from './stored-json.ts'

export interface StoredRequest {
  readonly request_id: string
  readonly account_id: string
  readonly key_id: string
  readonly gateway_id: string
  readonly status: RequestStatus
  readonly format: WireFormat
  readonly model: string
  readonly price: string
  readonly prompt_tokens: number
  readonly max_output_tokens: number
  readonly hold: string
  readonly input_tokens: number | null
  readonly cached_input_tokens: number | null
  readonly output_tokens: number | null
  readonly reasoning_tokens: number
  readonly lines: string
  readonly amount: string
  readonly slices: string
  readonly balance_after: string | null
  readonly finish_reason: FinishReason | null
  readonly reason: string | null
  readonly deadline: number
  readonly accepted_at: number
  readonly ended_at: number | null
  readonly latencies: string | null
  readonly events: string
}

export function requestsTable(database: DatabaseSync): RowTable<RequestState> {
  const select = database.prepare('SELECT * FROM requests WHERE request_id = ?')
  const insert = database.prepare(`
    INSERT INTO requests VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`)
  const update = database.prepare(`
    UPDATE requests SET status = ?, input_tokens = ?, cached_input_tokens = ?, output_tokens = ?,
      reasoning_tokens = ?, lines = ?, amount = ?, slices = ?, balance_after = ?,
      finish_reason = ?, reason = ?, ended_at = ?, latencies = ?, events = ?
    WHERE request_id = ?`)
  const remove = database.prepare('DELETE FROM requests WHERE request_id = ?')
  return {
    load(requestId) {
      const row = select.get(requestId) as StoredRequest | undefined
      return row === undefined ? undefined : readRequest(row)
    },
    insert(row) {
      insert.run(
        row.requestId,
        row.accountId,
        row.keyId,
        row.gatewayId,
        row.status,
        row.format,
        row.model,
        stored.writePrice(row),
        row.promptTokens,
        row.maxOutputTokens,
        row.hold,
        row.counts?.inputTokens ?? null,
        row.counts?.cachedInputTokens ?? null,
        row.counts?.outputTokens ?? null,
        row.reasoningTokens,
        stored.writeLines(row),
        row.amount,
        stored.writeSlices(row),
        row.balanceAfter,
        row.finishReason,
        row.reason,
        row.deadline,
        row.acceptedAt,
        row.endedAt,
        stored.writeLatencies(row),
        stored.writeReferences(row),
      )
    },
    update(row) {
      update.run(
        row.status,
        row.counts?.inputTokens ?? null,
        row.counts?.cachedInputTokens ?? null,
        row.counts?.outputTokens ?? null,
        row.reasoningTokens,
        stored.writeLines(row),
        row.amount,
        stored.writeSlices(row),
        row.balanceAfter,
        row.finishReason,
        row.reason,
        row.endedAt,
        stored.writeLatencies(row),
        stored.writeReferences(row),
        row.requestId,
      )
    },
    remove: (requestId) => void remove.run(requestId),
  }
}

export function readRequest(row: StoredRequest): RequestState {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    gatewayId: row.gateway_id,
    status: row.status,
    format: row.format,
    model: row.model,
    price: stored.readPrice(row.price),
    promptTokens: row.prompt_tokens,
    maxOutputTokens: row.max_output_tokens,
    hold: row.hold,
    counts: readCounts(row),
    reasoningTokens: row.reasoning_tokens,
    lines: stored.readLines(row.lines),
    amount: row.amount,
    slices: stored.readSlices(row.slices),
    balanceAfter: row.balance_after,
    finishReason: row.finish_reason,
    reason: row.reason,
    deadline: row.deadline,
    acceptedAt: row.accepted_at,
    endedAt: row.ended_at,
    latencies: stored.readLatencies(row.latencies),
    events: stored.readReferences(row.events, accountStream(row.account_id)),
  }
}

function readCounts(row: StoredRequest): TokenCounts | null {
  const { input_tokens, cached_input_tokens, output_tokens } = row
  if (input_tokens === null || cached_input_tokens === null || output_tokens === null) return null
  return {
    inputTokens: input_tokens,
    cachedInputTokens: cached_input_tokens,
    outputTokens: output_tokens,
  }
}
