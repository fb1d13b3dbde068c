/** What went wrong, in a sentence for people. */
import type { ApiError } from '../api/api-error.ts'
import { t } from './translate.ts'

const NOT_REACHED = 0
const NOT_SIGNED_IN = 401
/** Of a session that ended while its page was open. */
const ENDED = 'not_signed_in'

export function problemText({ status, message, code, requestId }: ApiError): string {
  if (status === NOT_REACHED) return t('unreachable')
  if (code === ENDED) return t('endedMeanwhile')
  if (status === NOT_SIGNED_IN && message === '') return t('signedOut')
  const said = message === '' ? t('refused', { code }) : message
  return requestId === null || status < 500 ? said : `${said} ${t('requestId', { id: requestId })}`
}
