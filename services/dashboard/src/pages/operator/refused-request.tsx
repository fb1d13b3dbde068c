import type { RefusalDetails } from '@svc/contracts/admin/billing'
import { Link } from '@tanstack/react-router'
import { Moment } from '../../ui/moment.tsx'
import { t } from './operator-text.ts'

/** Why a request was refused, with the way to the account whose key it had. */
export function RefusedRequest({ refusal }: { readonly refusal: RefusalDetails }) {
  const { status, code, refused_at: at, account_id: accountId, meaning, message } = refusal
  return (
    <>
      {t('requestRefused', { status, code })} <Moment at={at} />. {meaning}{' '}
      {message !== null && <>{t('callerWasTold', { message })} </>}
      {accountId === null ? (
        t('refusedWithoutKey')
      ) : (
        <Link to="/operator/accounts/$accountId" params={{ accountId }}>
          {t('seeAccount')}
        </Link>
      )}
    </>
  )
}
