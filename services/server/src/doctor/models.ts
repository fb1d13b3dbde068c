/** The models that a start would load: a file is looked at as a worker does, nothing is loaded. */
import { checkGgufFile } from '@svc/worker/engines/llama/gguf-file'
import { namedModel } from '@svc/worker/engines/llama/model-file'
import type { Settings } from '../settings/settings.ts'
import { type Finding, found, ok } from './finding.ts'

export async function* lookAtModels(settings: Settings): AsyncGenerator<Finding, void> {
  const { SVC_MODEL, SVC_STANDBY_MODELS: standby = [], SVC_WORKER_URLS } = settings
  if (SVC_WORKER_URLS !== undefined) {
    yield ok('model', 'none is loaded here: the workers of SVC_WORKER_URLS have their own')
    return
  }
  yield await found('model', () => lookAtModel('model', SVC_MODEL))
  for (const model of standby) {
    const check = `standby model ${model}`
    yield await found(check, () => lookAtModel(check, model))
  }
}

/** @throws {StartRefused} with what a start would say */
async function lookAtModel(check: string, model: string): Promise<Finding> {
  const named = namedModel(model)
  if (named.kind === 'demo') return ok(check, 'the bundled toy: set SVC_MODEL to sell answers')
  if (named.kind === 'hugging-face') {
    return ok(check, `${named.uri}: a start downloads it, unless it was downloaded before`)
  }
  const { bytes } = await checkGgufFile(named.path)
  return ok(check, `${named.path}, a GGUF file of ${Math.ceil(bytes / 1024 ** 2)} MiB`)
}
