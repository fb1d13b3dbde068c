/**
 * Conversations as a chat product has them: tenants whose system prompt begins every conversation,
 * and turns that begin with all the turns before. With and without the cache, on one worker and on
 * two, where a turn comes to the worker that had the last one, or to any.
 */
import { user } from '@svc/testing/protocol-client'
import type { RedisServer } from '@svc/testing/redis/redis-server'
import {
  type Bench,
  type Figures,
  ownRedis,
  promptTokens,
  sharedCache,
  warmWorker,
} from '../bench.ts'
import type { MeasuredWorker } from '../measured-worker.ts'
import { median, quantile, rounded } from '../statistics.ts'
import { type TimedAnswer, timedAnswer } from '../timed-answer.ts'
import {
  ANSWER_TOKENS,
  type ChatText,
  CONTEXT_TOKENS,
  type Conversation,
  conversationsOf,
} from './chat-conversations.ts'

const ROUNDS = 2
const CONVERSATIONS_AT_ONCE = 4

type Caches = 'off' | 'l1' | 'l1_l2'
type Routing = 'affine' | 'random'

interface Setting {
  /** As the figures name it. */
  readonly name: string
  readonly workers: 1 | 2
  readonly caches: Caches
  readonly routing: Routing
}

const settings: readonly Setting[] = [
  { name: 'chat_1_worker_off', workers: 1, caches: 'off', routing: 'affine' },
  { name: 'chat_1_worker_l1', workers: 1, caches: 'l1', routing: 'affine' },
  { name: 'chat_1_worker_l1_l2', workers: 1, caches: 'l1_l2', routing: 'affine' },
  { name: 'chat_2_workers_random_off', workers: 2, caches: 'off', routing: 'random' },
  { name: 'chat_2_workers_random_l1', workers: 2, caches: 'l1', routing: 'random' },
  { name: 'chat_2_workers_random_l1_l2', workers: 2, caches: 'l1_l2', routing: 'random' },
  { name: 'chat_2_workers_affine_l1', workers: 2, caches: 'l1', routing: 'affine' },
  { name: 'chat_2_workers_affine_l1_l2', workers: 2, caches: 'l1_l2', routing: 'affine' },
]

interface Result {
  readonly answers: readonly TimedAnswer[]
  readonly seconds: number
}

export async function measureChat(bench: Bench): Promise<Figures> {
  await using stack = new AsyncDisposableStack()
  const redis = await ownRedis(stack)
  const results = new Map<Setting, Result[]>(settings.map((setting) => [setting, []]))
  for (let round = 0; round < (bench.samples ?? ROUNDS); round += 1) {
    for (const [setting, rounds] of results) {
      bench.say(`chat, round ${round + 1}: ${setting.name} …`)
      await redis.flush()
      rounds.push(await runSetting(bench, setting, redis))
    }
  }
  const figures = [...results].map(([{ name }, rounds]) => figuresOf(name, rounds))
  return Object.assign({}, ...figures)
}

async function runSetting(bench: Bench, setting: Setting, redis: RedisServer): Promise<Result> {
  await using stack = new AsyncDisposableStack()
  const workers: MeasuredWorker[] = []
  const shared = setting.caches === 'l1_l2' ? sharedCache(redis, 'chat') : undefined
  for (let index = 0; index < setting.workers; index += 1) {
    const worker = await warmWorker(bench, {
      workerId: `bench-${index}`,
      sequences: CONVERSATIONS_AT_ONCE,
      cache: setting.caches === 'off' ? 'off' : 'on',
      tokens: promptTokens(bench.model, CONTEXT_TOKENS),
      shared,
    })
    workers.push(stack.use(worker))
  }
  const [first] = workers as [MeasuredWorker]
  const conversations = await conversationsOf(async (text) => {
    return (await first.client.prepare([user(text)], { tenant: 'calibration' })).tokens.length
  })
  const workerOf = (conversation: Conversation, turn: number): MeasuredWorker => {
    const number = setting.routing === 'affine' ? conversation.tenant : conversation.lots[turn]
    return workers[(number ?? 0) % workers.length] as MeasuredWorker
  }
  const startedMs = performance.now()
  const waiting = conversations.values()
  const person = async (): Promise<readonly TimedAnswer[]> => {
    const answers: TimedAnswer[] = []
    // All people take from one iterator: each has a conversation of its own at a time.
    for (const conversation of waiting) {
      const held = await conversation.hold((messages, turn) =>
        answerOf(bench, workerOf(conversation, turn), `tenant-${conversation.tenant}`, messages),
      )
      answers.push(...held)
    }
    return answers
  }
  const answers = await Promise.all(Array.from({ length: CONVERSATIONS_AT_ONCE }, person))
  return { answers: answers.flat(), seconds: (performance.now() - startedMs) / 1000 }
}

async function answerOf(
  { model }: Bench,
  worker: MeasuredWorker,
  tenant: string,
  messages: readonly ChatText[],
): Promise<TimedAnswer> {
  const { tokens } = await worker.client.prepare([...messages], { tenant })
  return await timedAnswer(worker, {
    tenant,
    tokens,
    maxOutputTokens: ANSWER_TOKENS,
    without: model.endOfGeneration,
  })
}

function figuresOf(name: string, rounds: readonly Result[]): Figures {
  const answers = rounds.flatMap((round) => round.answers)
  const firstTokenMs = answers.map((answer) => answer.firstTokenMs)
  const sum = (of: (answer: TimedAnswer) => number) =>
    answers.reduce((total, answer) => total + of(answer), 0)
  const cached = sum(({ meter }) => meter.cachedInputTokens)
  const fromRedis = sum(({ meter }) => (meter.cache.source === 'l2' ? 1 : 0))
  const tokensPerSecond = rounds.map(
    (round) =>
      round.answers.reduce((total, each) => total + each.meter.outputTokens, 0) / round.seconds,
  )
  return {
    [`${name}_tokens_per_s`]: rounded(median(tokensPerSecond)),
    [`${name}_ttft_p50_ms`]: rounded(median(firstTokenMs)),
    [`${name}_ttft_p99_ms`]: rounded(quantile(firstTokenMs, 0.99)),
    [`${name}_cached_percent`]: rounded(
      (cached / (cached + sum(({ meter }) => meter.inputTokens))) * 100,
    ),
    [`${name}_from_l2_percent_of_requests`]: rounded((fromRedis / answers.length) * 100),
  }
}
