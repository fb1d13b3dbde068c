/** The error object of the Messages format. */
import type { ServiceError, TokensAsked } from '@svc/contracts/errors'
import { MODEL } from '@svc/contracts/wire/models'
import { shortFunds } from './short-funds.ts'

/** @param requestId of the HTTP request that is answered */
export function anthropicError(error: ServiceError, requestId: string | null) {
  return {
    type: 'error',
    error: {
      type: error.entry.anthropicType,
      message: messageOf(error),
      details: { ...detailsOf(error), ...shortFunds(error) },
    },
    request_id: requestId,
  }
}

/** Names a refused thread in the way that makes SDKs send the whole conversation instead. */
function detailsOf({ code, param }: ServiceError) {
  if (code !== 'unsupported_parameter' || param !== 'thread') return { error_code: code }
  return { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
}

/**
 * Agents of this family read some messages word for word, to make room in the conversation or to
 * ask for less, so those are kept exactly. The format has no place for the field at fault: all
 * other messages name it.
 *
 * A message about money must not say "credit balance is too low": Claude Code then shows a notice
 * of its own instead, without the amounts.
 */
function messageOf({ message, param, tokens }: ServiceError): string {
  if (tokens !== undefined) return tokensMessage(tokens)
  return param === null || message.includes(param) ? message : `${param}: ${message}`
}

function tokensMessage({ prompt, maxOutput, context, promptIsLonger }: TokensAsked): string {
  if (maxOutput === null) {
    // A prompt that fills the context leaves no room for an answer.
    const maximum = Math.min(context, Math.max(0, prompt - 1))
    const more = promptIsLonger ? ' (counted no further)' : ''
    return `prompt is too long: ${prompt} tokens > ${maximum} maximum${more}`
  }
  if (maxOutput > context) {
    return (
      `max_tokens: ${maxOutput} > ${context}, which is the maximum allowed number of output ` +
      `tokens for ${MODEL}`
    )
  }
  return (
    `input length and \`max_tokens\` exceed context limit: ${prompt} + ${maxOutput} > ` +
    `${context}, decrease input length or \`max_tokens\` and try again`
  )
}
