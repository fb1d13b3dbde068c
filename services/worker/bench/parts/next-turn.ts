/**
 * The next turn of a conversation after a long answer: at once, as an agent sends it, and when a
 * person has read the answer first. The whole server, beside llama.cpp's own where that is named.
 */
import { setTimeout } from 'node:timers/promises'
import { type Bench, type Figures, newRandom } from '../bench.ts'
import { askServer } from '../beside/chat-question.ts'
import { startServers } from '../beside/servers.ts'
import type { WholeServer } from '../beside/whole-server.ts'
import { median, rounded } from '../statistics.ts'
import { type ChatText, type Words, wordsOf } from './chat-conversations.ts'

const SEQUENCES = 4
const SAMPLES = 3
const QUESTION_TOKENS = 40
const ANSWER_TOKENS = 256
/** In which a person reads such an answer. */
const PAUSE_MS = 10_000
const pauses = { at_once: 0, after_a_pause: PAUSE_MS }

export async function measureNextTurn(bench: Bench): Promise<Figures> {
  await using stack = new AsyncDisposableStack()
  const servers = await startServers(bench, SEQUENCES, stack)
  const [first] = servers
  const words = await wordsOf(async (text) => {
    const messages = [{ role: 'user', content: text } as const]
    const { promptTokens } = await askServer(first, bench.model, {
      tenant: 0,
      messages,
      outputTokens: 1,
    })
    return promptTokens
  })
  const figures: Record<string, number> = {}
  for (const [index, [name, pauseMs]] of Object.entries(pauses).entries()) {
    for (const server of servers) {
      const turns: NextTurn[] = []
      for (let sample = 0; sample < (bench.samples ?? SAMPLES); sample += 1) {
        // The same words for both servers, and others in every conversation.
        const random = newRandom(2 * sample + index)
        const wordsOfSample = (tokens: number) => words(tokens, random)
        turns.push(await nextTurn(bench, server, pauseMs, wordsOfSample))
      }
      figures[`next_turn_${name}_${server.name}_ms`] = rounded(median(turns.map(({ ms }) => ms)))
      figures[`next_turn_${name}_${server.name}_cached_percent`] = rounded(
        median(turns.map(({ cachedPercent }) => cachedPercent)),
      )
    }
  }
  return figures
}

interface NextTurn {
  /** Until its first token. */
  readonly ms: number
  /** Of its prompt. */
  readonly cachedPercent: number
}

async function nextTurn(
  { model }: Bench,
  server: WholeServer,
  pauseMs: number,
  words: (tokens: number) => ReturnType<Words>,
): Promise<NextTurn> {
  const ask = (): ChatText => ({ role: 'user', content: words(QUESTION_TOKENS) })
  const question = ask()
  const answer = await askServer(server, model, {
    tenant: 0,
    messages: [question],
    outputTokens: ANSWER_TOKENS,
    isOneWord: true,
  })
  await setTimeout(pauseMs)
  const messages = [question, { role: 'assistant', content: answer.text } as const, ask()]
  const next = await askServer(server, model, { tenant: 0, messages, outputTokens: 1 })
  return {
    ms: next.firstTokenMs,
    cachedPercent: (next.cachedTokens / next.promptTokens) * 100,
  }
}
