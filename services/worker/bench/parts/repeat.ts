/** The same prompt once more: how long until its first token, by where its memory is by then. */
import { type Bench, type Figures, promptTokens } from '../bench.ts'
import { median, rounded } from '../statistics.ts'
import { measureFirstTokens } from './ttft.ts'

const PROMPT_LENGTHS = [605, 2_000]

/** `repeat`: from a live sequence; `l1` and `redis`: when others have taken it since. */
export async function measureRepeat(bench: Bench): Promise<Figures> {
  const lengths = PROMPT_LENGTHS.map((tokens) => promptTokens(bench.model, tokens))
  const timesOf = await measureFirstTokens(bench, lengths)
  const figures = [...timesOf].map(([tokens, { coldMs, liveMs, l1Ms, l2Ms }]) => ({
    [`cold_${tokens}_ms`]: rounded(median(coldMs)),
    [`repeat_${tokens}_ms`]: rounded(median(liveMs)),
    [`l1_${tokens}_ms`]: rounded(median(l1Ms)),
    ...(l2Ms.length > 0 && { [`redis_${tokens}_ms`]: rounded(median(l2Ms)) }),
  }))
  return Object.assign({}, ...figures)
}
