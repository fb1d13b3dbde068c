// Runs prompts (token ids) through llama.cpp, for `check.py`, `evaluate.py` and `handwritten.py`:
//
//     node generate.mjs model.gguf in.json out.json [threads]
//
// in.json: [{ ids, max?, temperature?, seed? }], out.json: [[token id, …], …].
import fs from 'node:fs'
import { getLlama } from 'node-llama-cpp'

const CONTEXT_SIZE_TOKENS = 4096
const DEFAULT_OUTPUT_TOKENS_MAX = 200

const [file, input, output, threadsText = '1'] = process.argv.slice(2)
if (!file || !input || !output) {
  process.stderr.write('usage: node generate.mjs model.gguf in.json out.json [threads]\n')
  process.exit(2)
}

const threads = Number(threadsText)
const llama = await getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  maxThreads: threads,
  logLevel: 'error',
})
const model = await llama.loadModel({ modelPath: file })
const context = await model.createContext({
  sequences: 1,
  contextSize: CONTEXT_SIZE_TOKENS,
  batchSize: 512,
  flashAttention: true,
  threads: { ideal: threads, min: threads },
})
const sequence = context.getSequence()

const total = { promptTokens: 0, promptMs: 0, answerTokens: 0, answerMs: 0 }
const answers = []
for (const job of JSON.parse(fs.readFileSync(input, 'utf8'))) answers.push(await answer(job))
fs.writeFileSync(output, JSON.stringify(answers))

const perSecond = (tokens, ms) => ((tokens / ms) * 1000).toFixed(0)
process.stdout.write(
  `threads ${context.currentThreads}` +
    ` prefill ${total.promptTokens} tok ${perSecond(total.promptTokens, total.promptMs)} tok/s,` +
    ` generate ${total.answerTokens} tok ${perSecond(total.answerTokens, total.answerMs)} tok/s\n`,
)

async function answer(job) {
  await sequence.clearHistory()
  const startedMs = performance.now()
  if (job.ids.length > 1) {
    await sequence.evaluateWithoutGeneratingNewTokens(job.ids.slice(0, -1))
  }
  const prefilledMs = performance.now()
  const tokens = []
  for await (const token of sequence.evaluate(job.ids.slice(-1), {
    temperature: job.temperature ?? 0,
    topK: 0,
    topP: 1,
    minP: 0,
    seed: job.seed ?? 1,
    yieldEogToken: true,
  })) {
    tokens.push(token)
    if (token === model.tokens.eos || token === model.tokens.bos) break
    if (tokens.length >= (job.max ?? DEFAULT_OUTPUT_TOKENS_MAX)) break
  }
  total.promptTokens += job.ids.length - 1
  total.promptMs += prefilledMs - startedMs
  total.answerTokens += tokens.length
  total.answerMs += performance.now() - prefilledMs
  return tokens
}
