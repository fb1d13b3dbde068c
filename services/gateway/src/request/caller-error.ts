/**
 * Failures of a worker that are the caller's fault, as a 400 that names the field in the terms of
 * the caller's format. They come up when the prompt is prepared, before anything is accepted; a run
 * that a worker refuses all the same gets the same error and is not tried again.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { WorkerFailure } from '@svc/contracts/worker/failure'
import type { PromptLength } from '@svc/contracts/worker/protocol'
import type { FieldNames, InferenceRequest } from '../formats/inference-request.ts'

const messageOf: Readonly<Record<keyof FieldNames, string>> = {
  messages: 'The messages cannot be put into the form that this model expects.',
  toolUse: 'The tools cannot be put into the form that this model expects.',
  outputFormat: 'The schema cannot be enforced.',
  thinking: 'This model cannot think as it is asked to.',
  sampling: 'An option by which tokens are drawn is out of its range.',
  logitBias: 'A token id is not in the vocabulary of this model.',
  topLogprobs: 'This model cannot tell log probabilities.',
  stop: 'A text that ends the answer cannot be looked for.',
  maxOutputTokens: 'The limit of output tokens is out of its range.',
}

/**
 * @returns undefined when it is not the request that is at fault, but the worker
 */
export function callersError(
  failure: WorkerFailure,
  request: InferenceRequest,
  requestId?: string,
): ServiceError | undefined {
  const { fieldNames } = request
  const details = { cause: failure, requestId }
  switch (failure.code) {
    case 'prompt_too_long':
      return promptTooLong(request, failure.promptLength, details)
    case 'unsupported_schema': {
      const message = `The schema cannot be enforced: ${failure.message}.`
      const param = fieldNames.outputFormat
      return new ServiceError('unsupported_value', message, { ...details, param })
    }
    case 'bad_request': {
      const { field } = failure
      if (!isFieldName(field)) return new ServiceError('unsupported_value', REFUSED, details)
      const param = fieldNames[field]
      return new ServiceError('invalid_value', messageOf[field], { ...details, param })
    }
    default:
      return undefined
  }
}

const REFUSED = 'The model cannot take this request. The same request will be refused again.'

function isFieldName(field: string | undefined): field is keyof FieldNames {
  return field !== undefined && Object.hasOwn(messageOf, field)
}

/** @param length undefined when nobody counted */
export function promptTooLong(
  { fieldNames }: InferenceRequest,
  length: PromptLength | undefined,
  details: { readonly cause?: unknown; readonly requestId?: string | undefined } = {},
): ServiceError {
  const param = fieldNames.messages
  if (length === undefined) {
    const message = 'The messages are longer than the context of this model. Please shorten them.'
    return new ServiceError('context_length_exceeded', message, { ...details, param })
  }
  const { tokens: prompt, contextSize: context, isLowerBound } = length
  const message =
    `This model's maximum context length is ${context} tokens. However, your messages resulted in ` +
    `${isLowerBound ? 'at least ' : ''}${prompt} tokens. Please reduce the length of the messages.`
  const tokens = { prompt, maxOutput: null, context, promptIsLonger: isLowerBound }
  return new ServiceError('context_length_exceeded', message, { ...details, param, tokens })
}
