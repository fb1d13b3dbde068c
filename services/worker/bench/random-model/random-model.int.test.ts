import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { user } from '@svc/testing/protocol-client'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { MeasuredWorker } from '../measured-worker.ts'
import { timedAnswer } from '../timed-answer.ts'
import { weightEncodings } from './shapes.ts'
import { writeRandomModel } from './write-random-model.ts'

const PROGRAM = fileURLToPath(new URL('../random-model.ts', import.meta.url))
const TEXT = 'Schöne Grüße, 世界! \u0000 the  end\n'
const OUTPUT_TOKENS = 8
const run = promisify(execFile)

describe('a model with random weights', () => {
  test.each(weightEncodings)('in %s is taken by the worker, which answers', async (encoding) => {
    const folder = temporaryFolder()
    const path = join(folder, 'tiny.gguf')
    writeRandomModel({ shape: 'tiny', path, encoding, seed: 1 })
    await using worker = await MeasuredWorker.start({
      folder,
      model: path,
      workerId: 'worker-test',
      contextSize: 1024,
      sequences: 2,
      cache: 'on',
    })
    const { tokens } = await worker.client.prepare([user(TEXT)], { tenant: 'a' })
    const answer = await timedAnswer(worker, {
      tenant: 'a',
      tokens,
      maxOutputTokens: OUTPUT_TOKENS,
    })
    expect(answer.meter.inputTokens).toBe(tokens.length)
    expect(answer.tokenTimes.length).toBeGreaterThan(0)
    // Every byte of the text is a token at most, and control tokens frame it.
    expect(tokens.length).toBeGreaterThan(10)
    expect(tokens.length).toBeLessThan(Buffer.byteLength(TEXT) + 40)
  })

  test('is the same for the same seed, and another for another', () => {
    const folder = temporaryFolder()
    const bytesOf = (seed: number): Buffer => {
      const path = join(folder, `${seed}.gguf`)
      writeRandomModel({ shape: 'tiny', path, seed })
      return readFileSync(path)
    }
    expect(bytesOf(1).equals(bytesOf(1))).toBe(true)
    expect(bytesOf(1).equals(bytesOf(2))).toBe(false)
  })

  test('is written from the command line', async () => {
    const path = join(temporaryFolder(), 'tiny.gguf')
    const { stdout } = await run(process.execPath, [PROGRAM, 'tiny', path, '--type', 'q8_0'])
    expect(stdout).toBe(`${path}: 0.1 MB\n`)
    await expect(run(process.execPath, [PROGRAM, 'huge', path])).rejects.toMatchObject({ code: 2 })
  })
})
