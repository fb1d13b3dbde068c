/**
 * Writes a model file with random weights in the shape of a real model, to measure with.
 *
 *     npm run models:random -- tiny|small|s135|q05|l1b|l8b OUT.gguf
 *                           [--type f16|q8_0] [--vocabulary TOKENS] [--seed 1]
 */
import { readCommandLine } from '@svc/testing/read-options'
import { isShapeName, modelShapes, weightEncodings } from './random-model/shapes.ts'
import { writeRandomModel } from './random-model/write-random-model.ts'

const MEGABYTE = 1_000_000

const { values, positionals, ...commandLine } = readCommandLine(
  {
    type: { type: 'string' },
    vocabulary: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
  { numbers: ['vocabulary'], words: ['SHAPE', 'OUT.gguf'] },
)
// The compiler only knows that it ends the process when its type is written out.
const refuse: (why: string) => never = commandLine.refuse
const [shape = '', path = ''] = positionals
const encoding = weightEncodings.find((each) => each === values.type)

if (!isShapeName(shape)) refuse(`SHAPE is one of ${Object.keys(modelShapes).join(', ')}`)
if (values.type !== undefined && encoding === undefined) {
  refuse(`--type is one of ${weightEncodings.join(', ')}`)
}
const vocabularySize = values.vocabulary === undefined ? undefined : Number(values.vocabulary)
const seed = Number(values.seed)
const bytes = writeRandomModel({ shape, path, encoding, vocabularySize, seed })
process.stdout.write(`${path}: ${(bytes / MEGABYTE).toFixed(1)} MB\n`)
