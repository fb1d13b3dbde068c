/** The conversations that are held, the same ones in every setting. */
import type { PromptMessage } from '@svc/contracts/worker/protocol'
import { assistant, system, user } from '@svc/testing/protocol-client'
import { newRandom } from '../bench.ts'
import type { MeasuredWorker } from '../measured-worker.ts'
import type { ModelUnderTest } from '../model-under-test.ts'
import { type TimedAnswer, timedAnswer } from '../timed-answer.ts'

const TENANTS = 8
const CONVERSATIONS_OF_TENANT = 2
const TURNS = 6
const ANSWER_TOKENS = 32
const SYSTEM_TOKENS = 500
const QUESTION_TOKENS = 40
/** Of the longest conversation; answers can become longer when they are tokenised again. */
export const CONTEXT_TOKENS = 1_900
const WORDS = ['river', 'stone', 'light', 'house', 'green', 'seven', 'paper', 'winter', 'bread']

export class Conversation {
  readonly tenant: number
  /** A random number for each turn. */
  readonly lots: readonly number[]
  readonly #model: ModelUnderTest
  readonly #messages: PromptMessage[]
  readonly #questions: readonly string[]

  constructor(model: ModelUnderTest, tenant: number, texts: Texts) {
    this.tenant = tenant
    this.lots = texts.lots
    this.#model = model
    this.#messages = [system(texts.system)]
    this.#questions = texts.questions
  }

  /** From the first turn to the last. */
  async hold(workerOf: (turn: number) => MeasuredWorker): Promise<readonly TimedAnswer[]> {
    const answers: TimedAnswer[] = []
    const tenant = `tenant-${this.tenant}`
    for (const [turn, question] of this.#questions.entries()) {
      this.#messages.push(user(question))
      const worker = workerOf(turn)
      const { tokens } = await worker.client.prepare(this.#messages, { tenant })
      const answer = await timedAnswer(worker, {
        ...{ tenant, tokens, maxOutputTokens: ANSWER_TOKENS },
        without: this.#model.endOfGeneration,
      })
      this.#messages.push(assistant(answer.text))
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

/** @param worker tells how many tokens words have with this model */
export async function conversationsOf(
  model: ModelUnderTest,
  worker: MeasuredWorker,
): Promise<readonly Conversation[]> {
  const random = newRandom()
  const perWord = await tokensOfWord(worker)
  const words = (tokens: number): string =>
    Array.from({ length: Math.round(tokens / perWord) }, () => random.pick(WORDS)).join(' ')
  const systems = Array.from({ length: TENANTS }, () => words(SYSTEM_TOKENS))
  return Array.from({ length: TENANTS * CONVERSATIONS_OF_TENANT }, (_, index) => {
    const tenant = index % TENANTS
    return new Conversation(model, tenant, {
      system: systems[tenant] ?? '',
      questions: Array.from({ length: TURNS }, () => words(QUESTION_TOKENS)),
      lots: Array.from({ length: TURNS }, () => random.integer(2 ** 16)),
    })
  })
}

async function tokensOfWord(worker: MeasuredWorker): Promise<number> {
  const repeats = 20
  const text = Array.from({ length: repeats }, () => WORDS.join(' ')).join(' ')
  const { tokens } = await worker.client.prepare([user(text)], { tenant: 'calibration' })
  return tokens.length / (repeats * WORDS.length)
}
