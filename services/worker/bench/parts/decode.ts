/**
 * What the worker costs while it makes answers, all its parts included, against the runtime alone
 * in a process of its own. In turn, because machines are noisy; several answers at once.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { processorMs } from '@svc/testing/processor-time'
import { type Bench, type Figures, newRandom, promptTokens, warmWorker } from '../bench.ts'
import {
  type AloneOrder,
  type AloneResult,
  type BatchStrategyName,
  batchStrategies,
} from '../llama-alone.ts'
import type { MeasuredWorker } from '../measured-worker.ts'
import { randomPrompt } from '../model-under-test.ts'
import { median, rounded } from '../statistics.ts'
import { timedAnswer } from '../timed-answer.ts'

/** Unless another number is asked for. */
const ANSWERS = 4
const PROMPT_TOKENS = 32
const OUTPUT_TOKENS = 256
/** Each is the worker, then the runtime alone in both of its ways. */
const ROUNDS = 9
const PROGRAM = fileURLToPath(new URL('../llama-alone.ts', import.meta.url))

export async function measureDecode(bench: Bench): Promise<Figures> {
  const outputTokens = promptTokens(bench.model, OUTPUT_TOKENS)
  const atOnce = bench.atOnce ?? ANSWERS
  await using worker = await warmWorker(bench, {
    workerId: 'bench-a',
    sequences: atOnce,
    cache: 'off',
    tokens: PROMPT_TOKENS + outputTokens,
  })
  await using alone = await LlamaAlone.start(bench, worker)
  const random = newRandom()
  const runs: Record<Way, Run[]> = { worker: [], 'built-in': [], alternating: [] }
  const rounds = bench.samples ?? ROUNDS
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const prompts = Array.from({ length: atOnce }, () =>
      randomPrompt(bench.model, PROMPT_TOKENS, random),
    )
    const ask = () => answersOfWorker(bench, worker, prompts, outputTokens)
    const workerRun = await timed(worker.pid, ask)
    if (round > 0) runs.worker.push(workerRun)
    for (const strategy of batchStrategies) {
      const order = { strategy, prompts, outputTokens }
      const aloneRun = await timed(alone.pid, () => alone.run(order))
      if (round > 0) runs[strategy].push(aloneRun)
    }
  }
  const { decode, decodeTokens } = (await worker.client.state()).batches
  return {
    ...figuresOf(`decode_${atOnce}`, runs),
    [`decode_${atOnce}_worker_tokens_per_batch`]: rounded(decodeTokens / decode),
  }
}

type Way = 'worker' | BatchStrategyName

interface Run {
  readonly tokensPerSecond: number
  readonly processorMsPerToken: number
}

/** The runtime alone is quoted as it does best. */
function figuresOf(name: string, runs: Readonly<Record<Way, readonly Run[]>>): Figures {
  const rate = (way: Way) => median(runs[way].map((run) => run.tokensPerSecond))
  const cpuMs = (way: Way) => median(runs[way].map((run) => run.processorMsPerToken))
  const best: Way = rate('built-in') > rate('alternating') ? 'built-in' : 'alternating'
  return {
    [`${name}_worker_tokens_per_s`]: rounded(rate('worker')),
    [`${name}_alone_built_in_tokens_per_s`]: rounded(rate('built-in')),
    [`${name}_alone_alternating_tokens_per_s`]: rounded(rate('alternating')),
    [`${name}_worker_overhead_percent`]: rounded((rate(best) / rate('worker') - 1) * 100),
    [`${name}_worker_cpu_ms_per_token`]: rounded(cpuMs('worker')),
    [`${name}_alone_cpu_ms_per_token`]: rounded(cpuMs(best)),
    [`${name}_worker_cpu_overhead_percent`]: rounded((cpuMs('worker') / cpuMs(best) - 1) * 100),
  }
}

type TokenTimes = readonly { readonly tokenTimes: readonly number[] }[]

async function timed(pid: number, answer: () => Promise<TokenTimes>): Promise<Run> {
  const beforeMs = processorMs(pid)
  const answers = await answer()
  const tokens = answers.reduce((sum, { tokenTimes }) => sum + tokenTimes.length, 0)
  return {
    tokensPerSecond: rateOf(answers),
    processorMsPerToken: (processorMs(pid) - beforeMs) / tokens,
  }
}

function answersOfWorker(
  { model }: Bench,
  worker: MeasuredWorker,
  prompts: readonly (readonly number[])[],
  outputTokens: number,
): Promise<TokenTimes> {
  const answers = prompts.map((tokens, index) =>
    timedAnswer(worker, {
      tenant: `decode-${index}`,
      tokens,
      maxOutputTokens: outputTokens,
      without: model.endOfGeneration,
    }),
  )
  return Promise.all(answers)
}

/** Tokens per second of all together, in the time in which all of them were making tokens. */
function rateOf(answers: TokenTimes): number {
  const times = answers.map(({ tokenTimes }) => tokenTimes)
  const fromMs = Math.max(...times.map((each) => each[0] ?? 0))
  const toMs = Math.min(...times.map((each) => each.at(-1) ?? 0))
  const made = times.flat().filter((time) => time > fromMs && time <= toMs)
  return (made.length / (toMs - fromMs)) * 1000
}

class LlamaAlone {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcess, lines: AsyncIterator<string>) {
    this.#child = child
    this.#lines = lines
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** With a context and threads like those of the worker. */
  static async start(bench: Bench, { health }: MeasuredWorker): Promise<LlamaAlone> {
    const { model, gpu, atOnce } = bench
    const sizes = [health.contextSize, atOnce ?? ANSWERS, health.threads]
    const words = [model.path, gpu, ...sizes.map(String)]
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const alone = new LlamaAlone(child, lines)
    await alone.#line()
    return alone
  }

  /** The times are on the clock of that process. */
  async run(order: AloneOrder): Promise<TokenTimes> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
    const { tokenTimes } = JSON.parse(await this.#line()) as AloneResult
    return tokenTimes.map((each) => ({ tokenTimes: each }))
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error('the runtime alone ended by itself')
    return value
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await exited
  }
}
