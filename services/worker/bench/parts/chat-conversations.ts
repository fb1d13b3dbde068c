/** The conversations that are held, the same ones in every setting. */
import type { Random } from '@svc/testing/random'
import { newRandom } from '../bench.ts'

export const TENANTS = 8
const CONVERSATIONS_OF_TENANT = 2
const TURNS = 6
export const ANSWER_TOKENS = 32
const SYSTEM_TOKENS = 500
const QUESTION_TOKENS = 40
/** Of the longest conversation; answers can become longer when they are tokenised again. */
export const CONTEXT_TOKENS = 1_900
const WORDS = ['river', 'stone', 'light', 'house', 'green', 'seven', 'paper', 'winter', 'bread']

export interface ChatText {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Answers the messages so far, in this turn. */
type Ask<Answer> = (messages: readonly ChatText[], turn: number) => Promise<Answer>

export class Conversation {
  readonly tenant: number
  /** A random number for each turn. */
  readonly lots: readonly number[]
  readonly #system: string
  readonly #questions: readonly string[]

  constructor(tenant: number, texts: Texts) {
    this.tenant = tenant
    this.lots = texts.lots
    this.#system = texts.system
    this.#questions = texts.questions
  }

  /** From the first turn to the last. */
  async hold<Answer extends { readonly text: string }>(
    ask: Ask<Answer>,
  ): Promise<readonly Answer[]> {
    const messages: ChatText[] = [{ role: 'system', content: this.#system }]
    const answers: Answer[] = []
    for (const [turn, question] of this.#questions.entries()) {
      messages.push({ role: 'user', content: question })
      const answer = await ask([...messages], turn)
      messages.push({ role: 'assistant', content: answer.text })
      answers.push(answer)
    }
    return answers
  }
}

interface Texts {
  readonly system: string
  readonly questions: readonly string[]
  readonly lots: readonly number[]
}

/** @returns the number of tokens of a text alone, with this model */
export type CountTokens = (text: string) => Promise<number>

/** @param round whose conversations have other words than those of every other round */
export async function conversationsOf(
  countTokens: CountTokens,
  round = 0,
): Promise<readonly Conversation[]> {
  const random = newRandom(round)
  const words = await wordsOf(countTokens)
  const systems = Array.from({ length: TENANTS }, () => words(SYSTEM_TOKENS, random))
  return Array.from({ length: TENANTS * CONVERSATIONS_OF_TENANT }, (_, index) => {
    const tenant = index % TENANTS
    return new Conversation(tenant, {
      system: systems[tenant] ?? '',
      questions: Array.from({ length: TURNS }, () => words(QUESTION_TOKENS, random)),
      lots: Array.from({ length: TURNS }, () => random.integer(2 ** 16)),
    })
  })
}

/** Makes a text of about `tokens` tokens. */
export type Words = (tokens: number, random: Random) => string

export async function wordsOf(countTokens: CountTokens): Promise<Words> {
  const repeats = 20
  const text = Array.from({ length: repeats }, () => WORDS.join(' ')).join(' ')
  const perWord = (await countTokens(text)) / (repeats * WORDS.length)
  return (tokens, random) =>
    Array.from({ length: Math.round(tokens / perWord) }, () => random.pick(WORDS)).join(' ')
}
