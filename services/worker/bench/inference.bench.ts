/**
 * What inference costs and what the prefix cache saves, measured on the worker itself.
 *
 *     npm run bench:inference -- [--model demo|tiny|small|s135|q05|l1b|l8b|FILE.gguf]
 *         [--part repeat,ttft,chat,decode,gaps,newcomer,redis,isolation,server,next-turn]
 *         [--samples N] [--threads N] [--gpu off|auto|cuda|vulkan|metal] [--at-once N]
 *         [--llama-server PATH] [--json]
 *
 * A model that is named by its shape is written first, with random weights: its speed is real, what
 * it says is not. `--samples` is how often each part measures, instead of its own number. Parts
 * with Redis start a server of their own. The parts `server` and `next-turn` measure the whole
 * server, with `--threads` for its model, and llama.cpp's own beside it when `--llama-server` names
 * its binary.
 * `--at-once` is how many answers the parts `decode` and `server` make together, instead of four;
 * in the latter also how many people talk.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '@svc/testing/read-options'
import { DEMO_MODEL, type Gpu, gpuChoices } from '../src/engines/engine.ts'
import { type Bench, type Figures, type Part, warmWorker } from './bench.ts'
import { describeMachine } from './machine.ts'
import { modelUnderTest } from './model-under-test.ts'
import { measureChat } from './parts/chat.ts'
import { measureDecode } from './parts/decode.ts'
import { measureGaps } from './parts/gaps.ts'
import { measureIsolation } from './parts/isolation.ts'
import { measureNewcomer } from './parts/newcomer.ts'
import { measureNextTurn } from './parts/next-turn.ts'
import { measureRedis } from './parts/redis.ts'
import { measureRepeat } from './parts/repeat.ts'
import { measureServer } from './parts/server.ts'
import { measureTtft } from './parts/ttft.ts'

const parts: Readonly<Record<string, Part>> = {
  repeat: measureRepeat,
  ttft: measureTtft,
  chat: measureChat,
  decode: measureDecode,
  gaps: measureGaps,
  newcomer: measureNewcomer,
  redis: measureRedis,
  isolation: measureIsolation,
  server: measureServer,
  'next-turn': measureNextTurn,
}
const NAME_COLUMNS = 52
const MEGABYTE = 1_000_000

const values = readOptions(
  {
    model: { type: 'string', default: DEMO_MODEL },
    part: { type: 'string', default: Object.keys(parts).join(',') },
    samples: { type: 'string' },
    threads: { type: 'string' },
    gpu: { type: 'string', default: 'off' },
    'at-once': { type: 'string' },
    'llama-server': { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  { numbers: ['samples', 'threads', 'at-once'] },
)

const say = (line: string) => process.stdout.write(`${line}\n`)
const chosen = values.part.split(',').map((name): [string, Part] => {
  const part = parts[name]
  if (part === undefined) throw new Error(`--part ${Object.keys(parts).join(',')}`)
  return [name, part]
})

const gpu: Gpu | undefined = gpuChoices.find((choice) => choice === values.gpu)
if (gpu === undefined) throw new Error(`--gpu ${gpuChoices.join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-inference-'))
try {
  const model = await modelUnderTest(values.model, folder)
  const numberOf = (value: string | undefined) => (value === undefined ? null : Number(value))
  const llamaServer = values['llama-server'] ?? null
  const bench: Bench = {
    model,
    folder,
    gpu,
    llamaServer,
    say,
    samples: numberOf(values.samples),
    threads: numberOf(values.threads),
    atOnce: numberOf(values['at-once']),
  }
  say(describeMachine())
  say(await describeModel(bench))
  let figures: Figures = {}
  for (const [name, measure] of chosen) {
    say(`${name} …`)
    const measured = await measure(bench)
    for (const [figure, value] of Object.entries(measured)) {
      say(`${figure.padEnd(NAME_COLUMNS)} ${value}`)
    }
    figures = { ...figures, ...measured }
  }
  if (values.json) say(JSON.stringify(figures))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function describeModel(bench: Bench): Promise<string> {
  await using worker = await warmWorker(bench, {
    workerId: 'bench-look',
    sequences: 1,
    cache: 'off',
    tokens: 1,
  })
  const { modelName, threads, cpuVariant, device, gpu } = worker.health
  const megabytes = (bench.model.bytes / MEGABYTE).toFixed(1)
  return `${modelName} (${megabytes} MB) on ${device} (${gpu ?? cpuVariant}), ${threads} thread(s)`
}
