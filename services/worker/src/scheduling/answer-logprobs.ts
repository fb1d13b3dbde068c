/** Log probabilities as the protocol has them: token ids become texts and bytes. */
import type { Logprob } from '@svc/contracts/worker/protocol'
import type { Draw, Vocabulary } from '../engines/engine.ts'

/** @param top how many alternatives to name */
export function answerLogprob(
  { token, logprobs }: Draw,
  top: number,
  vocabulary: Vocabulary,
): Logprob | null {
  if (logprobs === null) return null
  return {
    ...named(token, logprobs.drawn, vocabulary),
    top: logprobs.likeliest
      .slice(0, top)
      .map((each) => named(each.token, each.logprob, vocabulary)),
  }
}

function named(token: number, logprob: number, vocabulary: Vocabulary): Omit<Logprob, 'top'> {
  const control = vocabulary.controlText(token)
  if (control !== '') return { token: control, bytes: [...Buffer.from(control)], logprob }
  const bytes = vocabulary.bytes(token)
  const text = vocabulary.detokenize([token], [])
  return { token: text, bytes: bytes === null ? null : [...bytes], logprob }
}
