/**
 * The whole server beside llama.cpp's own: both with the same model, context and threads, asked
 * the same questions by the same client. One of them is asked at a time, while the other idles.
 */
import type { Random } from '@svc/testing/random'
import { type Bench, type Figures, newRandom, promptTokens } from '../bench.ts'
import { askServer, type ChatAnswer, type ChatQuestion } from '../beside/chat-question.ts'
import { startServers, threadsOf } from '../beside/servers.ts'
import {
  processorMsOf,
  residentBytesOf,
  StoodStill,
  unlessStill,
  type WholeServer,
} from '../beside/whole-server.ts'
import { median, quantile, rounded } from '../statistics.ts'
import { ANSWER_TOKENS, conversationsOf, type Words, wordsOf } from './chat-conversations.ts'

/** Answers at once, unless another number is asked for. */
const SEQUENCES = 4
const ROUNDS = 3
const PROMPT_LENGTHS = [605, 2_000]
/** Prompts of others between two of the same. */
const OTHERS = 8
const OTHERS_TOKENS = 300
const OTHERS_OUTPUT_TOKENS = 8
const DECODE_PROMPT_TOKENS = 32
const DECODE_TOKENS = 256
/** Templates add some tokens to what a message has. */
const TEMPLATE_TOKENS = 48
const MEGABYTE = 1_000_000
/** Such a number has no round. */
const WARM_UP = 1_000
/** Of a measurement, when the server stands still in it. */
const ATTEMPTS_MAX = 10

/** All samples of one figure, by its name. */
class Samples {
  readonly #values = new Map<string, number[]>()

  add(name: string, value: number): void {
    const values = this.#values.get(name) ?? []
    this.#values.set(name, [...values, value])
  }

  addAll(others: Samples): void {
    for (const [name, values] of others.#values) {
      for (const value of values) this.add(name, value)
    }
  }

  /** Medians over the rounds. */
  figures(): Figures {
    return Object.fromEntries([...this.#values].map(([name, all]) => [name, rounded(median(all))]))
  }
}

interface Asked {
  readonly bench: Bench
  readonly server: WholeServer
  readonly words: Words
  readonly random: Random
  readonly samples: Samples
}

/** Without the binary of llama-server, only the server of this project is measured. */
export async function measureServer(bench: Bench): Promise<Figures> {
  await using stack = new AsyncDisposableStack()
  const servers = await startServers(bench, sequencesOf(bench), stack)
  const words = await wordsOf((text) => tokensOf(bench, servers[0], text))
  const samples = new Samples()
  // What is done for the first time, and compiled, is nobody's decoding.
  for (const server of servers) {
    const asked = { bench, server, words, random: newRandom(WARM_UP), samples: new Samples() }
    await measured(bench, server, asked.samples, () => measureDecoding(asked))
  }
  const rounds = bench.samples ?? ROUNDS
  for (let round = 0; round < rounds; round += 1) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      bench.say(`server, round ${round + 1} of ${rounds}: ${server.name} …`)
      // The same words for both, others in every round.
      const measure = async (own: Samples) => {
        const asked = { bench, server, words, random: newRandom(round), samples: own }
        // Before the long prompts: they are put away for a while after, which is not decoding.
        await measureDecoding(asked)
        for (const tokens of PROMPT_LENGTHS) await measurePrompts(asked, tokens)
        await measureConversations(asked, round)
      }
      await measured(bench, server, samples, measure)
    }
    // What was measured stays, whatever becomes of the next round.
    bench.say(JSON.stringify(samples.figures()))
  }
  for (const server of servers) samples.add(`server_${server.name}_restarts`, server.restarts)
  return { server_threads: threadsOf(bench), ...samples.figures() }
}

/** From the beginning, as often as the server stands still in it and can be started again. */
async function measured(
  bench: Bench,
  server: WholeServer,
  samples: Samples,
  measure: (own: Samples) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const own = new Samples()
    try {
      await unlessStill(server, () => measure(own))
      samples.addAll(own)
      return
    } catch (error) {
      const mayGoOn = error instanceof StoodStill && attempt < ATTEMPTS_MAX
      if (!mayGoOn || server.restart === undefined) throw error
      bench.say(`${error.message}, starting it again`)
      await server.restart()
    }
  }
}

async function tokensOf(bench: Bench, server: WholeServer, text: string): Promise<number> {
  const { promptTokens: tokens } = await ask(bench, server, { tenant: 0, text, outputTokens: 1 })
  return tokens
}

function sequencesOf({ atOnce }: Bench): number {
  return atOnce ?? SEQUENCES
}

interface PlainQuestion extends Omit<ChatQuestion, 'messages'> {
  readonly text: string
}

function ask(
  bench: Bench,
  server: WholeServer,
  { text, ...question }: PlainQuestion,
): Promise<ChatAnswer> {
  const messages = [{ role: 'user', content: text } as const]
  return askServer(server, bench.model, { ...question, messages })
}

/** Cold, at once again, after eight prompts of others, and with another second half. */
async function measurePrompts(asked: Asked, wanted: number): Promise<void> {
  const { bench, server, words, random, samples } = asked
  const length = promptTokens(bench.model, wanted) - TEMPLATE_TOKENS
  const [beginning, end, otherEnd] = [0, 1, 2].map(() => words(length / 2, random)) as [
    string,
    string,
    string,
  ]
  const firstToken = async (name: string, text: string) => {
    const answer = await ask(bench, server, { tenant: 0, text, outputTokens: 1 })
    samples.add(`server_${name}_${wanted}_${server.name}_ms`, answer.firstTokenMs)
  }
  const text = `${beginning} ${end}`
  await firstToken('cold', text)
  await firstToken('repeat', text)
  for (let other = 1; other <= OTHERS; other += 1) {
    await ask(bench, server, {
      tenant: other,
      text: words(OTHERS_TOKENS, random),
      outputTokens: OTHERS_OUTPUT_TOKENS,
    })
  }
  await firstToken('repeat_after_others', text)
  await firstToken('other_end', `${beginning} ${otherEnd}`)
}

/** As many answers at once as there are sequences, each of another tenant. */
async function measureDecoding({ bench, server, words, random, samples }: Asked): Promise<void> {
  const sequences = sequencesOf(bench)
  const beforeMs = processorMsOf(server)
  const answers = await Promise.all(
    Array.from({ length: sequences }, (_, tenant) =>
      ask(bench, server, {
        tenant,
        text: words(DECODE_PROMPT_TOKENS, random),
        outputTokens: DECODE_TOKENS,
        isOneWord: true,
      }),
    ),
  )
  const tokens = answers.reduce((sum, { outputTokens }) => sum + outputTokens, 0)
  const perSecond = tokensPerSecondTogether(answers)
  if (perSecond === null) bench.say(`${server.name}: the answers were never made together`)
  else samples.add(`server_decode_${sequences}_${server.name}_tokens_per_s`, perSecond)
  samples.add(
    `server_decode_${sequences}_${server.name}_cpu_ms_per_token`,
    (processorMsOf(server) - beforeMs) / tokens,
  )
}

/**
 * The rate of all answers while all of them are made: before, some of their prompts are still
 * computed. Each token is the same word, so that characters tell tokens, also where a piece of
 * text has several.
 *
 * @returns null when the first ended before the last began
 */
function tokensPerSecondTogether(answers: readonly ChatAnswer[]): number | null {
  const fromMs = Math.max(...answers.map(({ arrivals }) => arrivals[0]?.atMs ?? Infinity))
  const toMs = Math.min(...answers.map(({ arrivals }) => arrivals.at(-1)?.atMs ?? -Infinity))
  if (fromMs >= toMs) return null
  const tokens = answers.reduce((sum, { arrivals, text, outputTokens }) => {
    const within = arrivals.filter(({ atMs }) => atMs > fromMs && atMs <= toMs)
    const characters = within.reduce((all, { text }) => all + text.length, 0)
    return sum + (characters / text.length) * outputTokens
  }, 0)
  return (tokens / (toMs - fromMs)) * 1000
}

/** The longest wait between two pieces of an answer's text, in milliseconds. */
function longestGapMs({ arrivals }: ChatAnswer): number {
  return Math.max(
    0,
    ...arrivals.slice(1).map(({ atMs }, index) => atMs - (arrivals[index]?.atMs ?? atMs)),
  )
}

/** As a chat product has them, as many at once as there are sequences. */
async function measureConversations(
  { bench, server, samples }: Asked,
  round: number,
): Promise<void> {
  const countTokens = (text: string) => tokensOf(bench, server, text)
  const conversations = await conversationsOf(countTokens, round)
  const waiting = conversations.values()
  const beforeMs = processorMsOf(server)
  const startedMs = performance.now()
  // The whole prompt of the turn before: a cache that reads answers once more has no more of it.
  const reusableTokens = new Map<ChatAnswer, number>()
  const person = async (): Promise<readonly ChatAnswer[]> => {
    const answers: ChatAnswer[] = []
    // All people take from one iterator: each has a conversation of its own at a time.
    for (const conversation of waiting) {
      const { tenant } = conversation
      const held = await conversation.hold((messages) =>
        askServer(server, bench.model, {
          tenant,
          messages,
          outputTokens: ANSWER_TOKENS,
          // What has no text cannot be seen to begin, and is no part of the next question.
          isOneWord: true,
        }),
      )
      answers.push(...held)
      for (const [turn, answer] of held.entries()) {
        reusableTokens.set(answer, held[turn - 1]?.promptTokens ?? answer.cachedTokens)
      }
    }
    return answers
  }
  const answers = (await Promise.all(Array.from({ length: sequencesOf(bench) }, person))).flat()
  const seconds = (performance.now() - startedMs) / 1000
  const sum = (of: (answer: ChatAnswer) => number) =>
    answers.reduce((total, answer) => total + of(answer), 0)
  const firstTokenMs = answers.map((answer) => answer.firstTokenMs)
  const add = (name: string, value: number) =>
    samples.add(`server_chat_${server.name}_${name}`, value)
  add('tokens_per_s', sum(({ outputTokens }) => outputTokens) / seconds)
  add('ttft_p50_ms', median(firstTokenMs))
  add('ttft_p99_ms', quantile(firstTokenMs, 0.99))
  const wholeMs = answers.map((answer) => answer.wholeMs)
  add('whole_p50_ms', median(wholeMs))
  add('whole_p99_ms', quantile(wholeMs, 0.99))
  add('longest_gap_p50_ms', median(answers.map(longestGapMs)))
  add('longest_gap_max_ms', Math.max(...answers.map(longestGapMs)))
  add(
    'cached_percent',
    (sum(({ cachedTokens }) => cachedTokens) / sum((each) => each.promptTokens)) * 100,
  )
  add(
    'reusable_percent',
    (sum((each) => reusableTokens.get(each) ?? 0) / sum((each) => each.promptTokens)) * 100,
  )
  add('cpu_s', (processorMsOf(server) - beforeMs) / 1000)
  add('memory_mb', residentBytesOf(server) / MEGABYTE)
}
