/**
 * The error object of the two OpenAI formats: always all four keys, clients read each of them.
 * A 402 has its amounts beside them.
 */
import type { ServiceError } from '@svc/contracts/errors'
import type { openAiErrorAnswer } from '@svc/contracts/wire/errors'
import type { z } from 'zod'
import { shortFunds } from './short-funds.ts'

export function openAiError(error: ServiceError): z.output<typeof openAiErrorAnswer> {
  return {
    error: {
      message: error.message,
      type: error.entry.openaiType,
      param: error.param,
      code: error.code,
      ...shortFunds(error),
    },
  }
}

export function renderOpenAiError(error: ServiceError): string {
  return JSON.stringify(openAiError(error))
}
