/**
 * Writes a model file with random weights in the shape of a real model, to measure with.
 *
 *     npm run models:random -- tiny|small|s135|q05|l1b|l8b OUT.gguf
 *                           [--type f16|q8_0] [--vocabulary TOKENS] [--seed 1]
 */
import { parseArgs } from 'node:util'
import { isShapeName, modelShapes, weightEncodings } from './random-model/shapes.ts'
import { writeRandomModel } from './random-model/write-random-model.ts'

const MEGABYTE = 1_000_000
const EXIT_USAGE = 64

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    type: { type: 'string' },
    vocabulary: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})
const [shape = '', path, ...more] = positionals
const encoding = weightEncodings.find((each) => each === values.type)

if (!isShapeName(shape) || path === undefined || more.length > 0) {
  refuse(`random-model.ts ${Object.keys(modelShapes).join('|')} OUT.gguf`)
}
if (values.type !== undefined && encoding === undefined) {
  refuse(`--type ${weightEncodings.join('|')}`)
}
const vocabularySize = values.vocabulary === undefined ? undefined : Number(values.vocabulary)
const seed = Number(values.seed)
const bytes = writeRandomModel({ shape, path, encoding, vocabularySize, seed })
process.stdout.write(`${path}: ${(bytes / MEGABYTE).toFixed(1)} MB\n`)

function refuse(usage: string): never {
  process.stderr.write(`usage: ${usage}\n`)
  process.exit(EXIT_USAGE)
}
