/** Compiles hostile schemas, one seed after the other, in no more memory than a compilation has. */
import { parentPort, workerData } from 'node:worker_threads'
import { GrammarRules } from '../../src/grammar/gbnf/gbnf.ts'
import { addSchema } from '../../src/grammar/schema/json-schema.ts'
import { UnsupportedSchema } from '../../src/grammar/schema/unsupported-schema.ts'
import { GbnfAcceptance } from './gbnf-acceptance.ts'
import { hostileSchema } from './hostile-schemas.ts'
import { randomOf } from './schema-validator.ts'

export interface FuzzData {
  readonly firstSeed: number
  readonly lastSeed: number
  readonly stacksMax: number
  /** One compiled schema of this many has texts of it followed, to count the ways of reading. */
  readonly followedOf: number
}

export interface FuzzResult {
  readonly seed: number
  readonly processorMs: number
  readonly steps: number
  readonly bytes: number
  /** Null: compiled. */
  readonly refusal: string | null
  /** Ways of reading that a text of it had at most, where texts were followed. */
  readonly stacks: number | null
}

const MS = 1000
const TEXT_CHARACTERS = 200
const GRAMMAR_CHARACTERS_MAX = 60_000
const { firstSeed, lastSeed, followedOf } = workerData as FuzzData

for (let seed = firstSeed; seed <= lastSeed; seed += 1) parentPort?.postMessage(tried(seed))

function tried(seed: number): FuzzResult {
  const schema = hostileSchema(seed)
  const bytes = JSON.stringify(schema).length
  parentPort?.postMessage({ seed, begun: true })
  const rules = new GrammarRules()
  const before = process.threadCpuUsage()
  let refusal: string | null = null
  let grammar = ''
  try {
    grammar = rules.text(addSchema(rules, schema, { unsupported: 'refuse' }))
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    refusal = error.keyword === 'size' ? error.reason : error.keyword
  }
  const { user, system } = process.threadCpuUsage(before)
  const isFollowed = refusal === null && seed % followedOf === 0
  const stacks =
    isFollowed && grammar.length < GRAMMAR_CHARACTERS_MAX ? follow(grammar, seed) : null
  const processorMs = (user + system) / MS
  return { seed, processorMs, steps: rules.work.steps, bytes, refusal, stacks }
}

/** Along a text that is made up on the way: a whole one may need a quadrillion of items. */
function follow(grammar: string, seed: number): number {
  return new GbnfAcceptance(grammar).mostStacks(randomOf(seed), TEXT_CHARACTERS).stacks
}
