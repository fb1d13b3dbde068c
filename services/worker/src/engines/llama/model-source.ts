/** Finds the file of the model that the operator named, or downloads it. */
import { basename } from 'node:path'
import { demoModelName, demoModelPath, demoModelSha256 } from '@svc/infra/demo-model/demo-model'
import { resolveModelFile } from 'node-llama-cpp'
import type { Log } from '../../process/log.ts'
import { firstLineOf, StartRefused } from '../../process/start-refused.ts'
import { checkGgufFile, sha256OfFile } from './gguf-file.ts'
import { namedModel } from './model-file.ts'
import { tellProgress } from './model-progress.ts'

export interface ModelSource {
  readonly path: string
  readonly name: string
  /** Size of the file. */
  readonly bytes: number
  /** True for the bundled demo model. */
  readonly toy: boolean
}

/**
 * Finds, and where needed downloads, the model.
 *
 * @param model `demo`, a path, or a Hugging Face URI such as `hf:user/repository:Q4_K_M`
 * @throws StartRefused with one line for the operator
 */
export async function findModel(
  model: string,
  modelsFolder: string,
  log: Log,
): Promise<ModelSource> {
  const named = namedModel(model)
  if (named.kind === 'demo') {
    const { bytes } = await checkGgufFile(demoModelPath)
    await refuseChangedDemoModel(demoModelPath, demoModelSha256)
    return { path: demoModelPath, name: demoModelName, bytes, toy: true }
  }
  const path =
    named.kind === 'file'
      ? named.path
      : await downloadModel(model, modelsFolder, tellProgress('downloading the model', model, log))
  const { bytes } = await checkGgufFile(path)
  return { path, name: basename(path).replace(/\.gguf$/i, ''), bytes, toy: false }
}

/** @throws StartRefused when the file's SHA-256 is another */
export async function refuseChangedDemoModel(path: string, sha256: string): Promise<void> {
  const found = await sha256OfFile(path)
  if (found !== sha256) {
    throw new StartRefused(
      `the bundled demo model is damaged (SHA-256 ${found}, not ${sha256}): restore ${path}`,
    )
  }
}

/**
 * Finds the file that an `hf:` URI names, in the downloads' folder or on the network.
 *
 * @throws StartRefused with one line when it is neither there nor reachable
 */
async function downloadModel(
  uri: string,
  folder: string,
  onProgress: (downloadedBytes: number, totalBytes: number) => void,
): Promise<string> {
  try {
    return await resolveModelFile(uri, {
      directory: folder,
      cli: false,
      onProgress: ({ downloadedSize, totalSize }) => onProgress(downloadedSize, totalSize),
    })
  } catch (error) {
    throw new StartRefused(
      `cannot download ${uri} (${firstLineOf(error)}); check the name and the network, ` +
        'or name a downloaded .gguf file instead',
    )
  }
}
