/**
 * A process that tells of a model file how many tokens there are, which of them end an answer and
 * which one is a word, and for how many the model was trained.
 *
 *     node llama-facts.ts MODEL.gguf
 */
import { getLlama, LlamaLogLevel, type Token } from 'node-llama-cpp'

const [modelPath = ''] = process.argv.slice(2)
const llama = await getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  maxThreads: 1,
  logLevel: LlamaLogLevel.error,
})
const model = await llama.loadModel({ modelPath, vocabOnly: true })
const vocabularySize = model.fileInfo.metadata.tokenizer.ggml.tokens.length
const endOfGeneration = Array.from({ length: vocabularySize }, (_, token) => token as Token).filter(
  (token) => model.isEogToken(token),
)
const [wordToken] = model.tokenize('a')
const contextTokens = model.fileInfo.architectureMetadata.context_length ?? 0
const facts = { vocabularySize, endOfGeneration, wordToken, contextTokens }
process.stdout.write(`${JSON.stringify(facts)}\n`)
process.exit(0)
