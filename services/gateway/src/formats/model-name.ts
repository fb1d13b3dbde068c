/** The model that a request names: the callable one, by its name or a deprecated one. */
import { ServiceError } from '@svc/contracts/errors'
import { MODEL, resolveModel } from '@svc/contracts/wire/models'

const SHOWN_CHARACTERS = 64

/**
 * @returns the name of the callable model
 * @throws {ServiceError} `model_not_found`
 */
export function callableModel(name: string): string {
  if (resolveModel(name) !== undefined) return MODEL
  const shown = JSON.stringify(name.slice(0, SHOWN_CHARACTERS))
  const message = `The model ${shown} does not exist. The callable model is "${MODEL}".`
  throw new ServiceError('model_not_found', message, { param: 'model' })
}
