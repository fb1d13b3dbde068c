/** What an answer cost that ended before its last chunk: its receipt says so. */
import { call } from '../../api/call.ts'
import type { AnswerUse } from './conversation.ts'

const ATTEMPTS = 5
const BETWEEN_MS = 500

/** @returns null when it is not settled in time: the receipt shows it later */
export async function settledUse(accountId: string, id: string): Promise<AnswerUse | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const receipt = await call('receipt', { account_id: accountId, id }).catch(() => null)
    if (receipt !== null && receipt.status !== 'running') {
      return {
        inputTokens: receipt.usage.input_tokens,
        cachedTokens: receipt.usage.cached_input_tokens,
        outputTokens: receipt.usage.output_tokens,
        cost: receipt.amount,
      }
    }
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
  }
  return null
}
