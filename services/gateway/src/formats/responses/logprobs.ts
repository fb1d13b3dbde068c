/** Log probabilities in the shape of the format, which has bytes always. */
import type { Logprob } from '@svc/contracts/worker/protocol'

export function shownLogprobs(logprobs: readonly Logprob[]) {
  return logprobs.map(({ token, logprob, bytes, top }) => ({
    token,
    logprob,
    bytes: bytes ?? [],
    top_logprobs: top.map((each) => ({ ...each, bytes: each.bytes ?? [] })),
  }))
}
export type ShownLogprob = ReturnType<typeof shownLogprobs>[number]
