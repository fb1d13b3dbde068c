/** The model that a benchmark runs: the bundled one, a file, or one written for the occasion. */
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { demoModelPath } from '@svc/infra/demo-model/demo-model'
import type { Random } from '@svc/testing/random'
import { DEMO_MODEL } from '../src/engines/engine.ts'
import { isShapeName } from './random-model/shapes.ts'
import { writeRandomModel } from './random-model/write-random-model.ts'

const FACTS = fileURLToPath(new URL('llama-facts.ts', import.meta.url))
const SEED = 1

export interface ModelUnderTest {
  /** As it was asked for. */
  readonly name: string
  /** What the worker is told. */
  readonly argument: string
  readonly path: string
  readonly bytes: number
  readonly vocabularySize: number
  readonly contextTokens: number
  /** Tokens that end an answer. */
  readonly endOfGeneration: readonly number[]
  /** A token that has a text of its own. */
  readonly wordToken: number
}

/** @param folder where a model with random weights is written */
export async function modelUnderTest(name: string, folder: string): Promise<ModelUnderTest> {
  const path = modelPath(name, folder)
  const { stdout } = await promisify(execFile)(process.execPath, [FACTS, path])
  const argument = name === DEMO_MODEL ? DEMO_MODEL : path
  return { name, argument, path, bytes: statSync(path).size, ...JSON.parse(stdout) }
}

function modelPath(name: string, folder: string): string {
  if (name === DEMO_MODEL) return demoModelPath
  if (!isShapeName(name)) return resolve(name)
  const path = join(folder, `${name}.gguf`)
  writeRandomModel({ shape: name, path, seed: SEED })
  return path
}

/** A prompt that no other prompt begins like, of tokens that end no answer. */
export function randomPrompt(model: ModelUnderTest, tokens: number, random: Random): number[] {
  return Array.from({ length: tokens }, () => {
    let token = random.integer(model.vocabularySize)
    while (model.endOfGeneration.includes(token)) token = random.integer(model.vocabularySize)
    return token
  })
}
