/** Log probabilities in the shape of the chat format. */
import type { Logprob } from '@svc/contracts/worker/protocol'

/** @returns null where none were asked for, as the format wants it */
export function chatLogprobs(logprobs: readonly Logprob[] | undefined) {
  if (logprobs === undefined) return null
  const content = logprobs.map(({ token, logprob, bytes, top }) => ({
    token,
    logprob,
    bytes,
    top_logprobs: top,
  }))
  return { content, refusal: null }
}
