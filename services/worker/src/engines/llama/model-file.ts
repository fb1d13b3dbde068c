/** What the operator named as a model, as far as a look without the network tells. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ModelFileRefused, StartRefused } from '../../process/start-refused.ts'
import { DEMO_MODEL } from '../engine.ts'

const HUGGING_FACE = 'hf:'

export type NamedModel =
  | { readonly kind: 'demo' }
  | { readonly kind: 'hugging-face'; readonly uri: string }
  | { readonly kind: 'file'; readonly path: string }

export function namedModel(model: string): NamedModel {
  if (model === DEMO_MODEL) return { kind: 'demo' }
  if (model.startsWith(HUGGING_FACE)) return { kind: 'hugging-face', uri: model }
  return { kind: 'file', path: resolve(model) }
}

/** @throws ModelFileRefused when there is no file of this name that can be read */
export async function openModelFile(
  path: string,
): Promise<{ readonly file: FileHandle; readonly bytes: number }> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      throw new ModelFileRefused(`the model file does not exist: ${path}`)
    }
    throw new ModelFileRefused(`the model file cannot be read (${error.code ?? 'error'}): ${path}`)
  })
  if (facts.isDirectory()) {
    throw new StartRefused(`the model must be a GGUF file, but this is a folder: ${path}`)
  }
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new ModelFileRefused(
      `the model file cannot be opened (${error.code ?? 'error'}): ${path}`,
    )
  })
  return { file, bytes: facts.size }
}

/** @throws ModelFileRefused when it names a file on this machine that cannot be opened */
export async function checkModelFile(model: string): Promise<void> {
  const named = namedModel(model)
  if (named.kind !== 'file') return
  const { file } = await openModelFile(named.path)
  await file.close()
}
