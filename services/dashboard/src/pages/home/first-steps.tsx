import { Link } from '@tanstack/react-router'
import { useSession } from '../../api/session.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { useAccountRole } from '../../layout/account-role.ts'
import { t } from '../../text/translate.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FirstCall } from '../first-call.tsx'

/** Leads to the first request: a key, a command, an answer. */
export function FirstSteps({ hasKey }: { readonly hasKey: boolean }) {
  const accountId = useAccountId()
  const { base_url: baseUrl } = useSession()
  const isOwner = useAccountRole() === 'owner'
  const keyText = hasKey ? 'firstKeyMade' : 'firstKey'
  return (
    <Card title={t('firstSteps')}>
      <ol className="flex list-decimal flex-col gap-4 pl-5">
        <li>
          <p className="mb-2">{t(isOwner ? keyText : 'firstKeyAsk')}</p>
          {isOwner && !hasKey && (
            <Link
              to="/accounts/$accountId/keys"
              params={{ accountId }}
              search={{ create: true }}
              className={buttonClass('plain')}
            >
              {t('newKey')}
            </Link>
          )}
        </li>
        <li>
          <p className="mb-2">{t('firstCall')}</p>
          <FirstCall baseUrl={baseUrl} />
        </li>
        <li>{t('firstLook')}</li>
      </ol>
    </Card>
  )
}
