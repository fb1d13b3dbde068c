/** The models that a start would load: a file is looked at as a worker does, nothing is loaded. */
import { checkGgufFile } from '@svc/worker/engines/llama/gguf-file'
import { namedModel } from '@svc/worker/engines/llama/model-file'
import type { Settings } from '../settings/settings.ts'
import { type Finding, found, ok } from './finding.ts'

const TOY = 'the bundled toy: set SVC_MODEL to sell answers'
/** A data folder does not tell which role it is for. */
const TOY_OF_A_GATEWAY = `${TOY} on a gateway; a projector, relay or sweeper loads no model`

export async function* lookAtModels(settings: Settings): AsyncGenerator<Finding, void> {
  const { SVC_MODEL, SVC_STANDBY_MODELS: standby = [], SVC_WORKER_URLS } = settings
  const toy = settings.EVENTSTORE_URL === undefined ? TOY : TOY_OF_A_GATEWAY
  if (SVC_WORKER_URLS !== undefined) {
    yield ok('model', 'none is loaded here: the workers of SVC_WORKER_URLS have their own')
    return
  }
  yield await found('model', () => lookAtModel('model', SVC_MODEL, toy))
  for (const model of standby) {
    const check = `standby model ${model}`
    yield await found(check, () => lookAtModel(check, model, toy))
  }
}

/** @throws {StartRefused} with what a start would say */
async function lookAtModel(check: string, model: string, toy: string): Promise<Finding> {
  const named = namedModel(model)
  if (named.kind === 'demo') return ok(check, toy)
  if (named.kind === 'hugging-face') {
    return ok(check, `${named.uri}: a start downloads it, unless it was downloaded before`)
  }
  const { bytes } = await checkGgufFile(named.path)
  return ok(check, `${named.path}, a GGUF file of ${Math.ceil(bytes / 1024 ** 2)} MiB`)
}
