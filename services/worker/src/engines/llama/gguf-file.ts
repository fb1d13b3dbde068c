/**
 * A look at a model file before native code sees it: native code may end the process on bytes
 * that it does not expect, and its messages are no help to an operator.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { StartRefused } from '../../process/start-refused.ts'
import { GgufDamage, walkGguf } from './gguf-walk.ts'
import { openModelFile } from './model-file.ts'

/** The description of a model, with a vocabulary of a quarter million tokens, is 20 MB. */
const HEAD_BYTES_MAX = 128 * 1024 * 1024

/**
 * Refuses a path that is not a whole, readable GGUF file, as far as its head tells.
 *
 * @returns its size
 * @throws StartRefused with one line that says what to do
 */
export async function checkGgufFile(path: string): Promise<{ readonly bytes: number }> {
  const { file, bytes } = await openModelFile(path)
  try {
    walkGguf(await readHead(file, bytes), bytes)
  } catch (error) {
    if (!(error instanceof GgufDamage)) throw error
    throw new StartRefused(`the model cannot be used: ${error.message}: ${path}`)
  } finally {
    await file.close()
  }
  return { bytes }
}

async function readHead(file: FileHandle, fileBytes: number): Promise<Buffer> {
  const head = Buffer.alloc(Math.min(fileBytes, HEAD_BYTES_MAX))
  const { bytesRead } = await file.read(head, 0, head.length, 0)
  return head.subarray(0, bytesRead)
}

const WHOLE_DIGEST_BYTES_MAX = 64 * 1024 * 1024
const SAMPLE_BYTES = 64 * 1024
const SAMPLES = 256

/**
 * Names the file's content for the fingerprint: its SHA-256, or for a big file the hash of its
 * size and of 256 evenly spread samples. Other weights differ everywhere, so samples tell them
 * apart, and the start of a 40 GB model does not wait a minute for a hash.
 *
 * @param size of the file, in bytes
 */
export async function fileDigest(path: string, size: number): Promise<string> {
  if (size <= WHOLE_DIGEST_BYTES_MAX) return `sha256:${await sha256OfFile(path)}`
  const hash = createHash('sha256').update(String(size))
  const file = await open(path)
  try {
    const sample = Buffer.alloc(SAMPLE_BYTES)
    for (let index = 0; index < SAMPLES; index += 1) {
      const position = Math.floor(((size - SAMPLE_BYTES) * index) / (SAMPLES - 1))
      const { bytesRead } = await file.read(sample, 0, SAMPLE_BYTES, position)
      hash.update(sample.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
  return `sampled-sha256:${hash.digest('hex')}`
}

/** SHA-256 of a file's bytes, in hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
