/** The error object of the two OpenAI formats: always all four keys, clients read each of them. */
import type { ServiceError } from '@svc/contracts/errors'

export interface OpenAiError {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string
}

export function openAiError(error: ServiceError): { readonly error: OpenAiError } {
  return {
    error: {
      message: error.message,
      type: error.entry.openaiType,
      param: error.param,
      code: error.code,
    },
  }
}

export function renderOpenAiError(error: ServiceError): string {
  return JSON.stringify(openAiError(error))
}
