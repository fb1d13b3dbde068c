import type { AccountDetails, GrantDetails } from '@svc/contracts/admin/accounts'
import { useState } from 'react'
import { callAdmin, useMay } from '../../../api/admin.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { DecimalColumn, exactText, finestOf } from '../../../ui/money.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { foundRow } from '../../found-row.ts'
import { t } from '../operator-text.ts'
import { ReviewedChange } from '../reviewed-change.tsx'
import { hasExpired } from './changes/expired-grant.ts'

export interface AccountGrantsProps {
  readonly account: AccountDetails
  /** The id of the grant that was looked for. */
  readonly found: string | undefined
}

/** What was granted, the newest first, and what is left of it. */
export function AccountGrants({ account, found }: AccountGrantsProps) {
  const may = useMay()
  const [voided, setVoided] = useState<GrantDetails>()
  const grants = account.grants.toReversed()
  if (grants.length === 0) return <Empty title={t('noGrants')} />
  const amounts = finestOf(grants.map(({ amount }) => amount))
  const remainders = finestOf(grants.map(({ remaining }) => remaining))
  const mayVoid = may('voidGrant') && account.status !== 'closed'
  return (
    <>
      <Table label={t('grants')} head={<GrantHead />}>
        {grants.map((grant) => (
          <tr
            key={grant.grant_id}
            className="hover:bg-panel"
            data-row
            {...(grant.grant_id === found && foundRow)}
          >
            <Cell>
              <Moment at={grant.granted_at} />
            </Cell>
            <Cell>
              <span className="whitespace-nowrap">
                {t(grant.category === 'paid' ? 'categoryPaid' : 'categoryPromotional')}
              </span>
            </Cell>
            <Cell isNumber>
              <DecimalColumn amount={grant.amount} decimals={amounts} />
            </Cell>
            <Cell isNumber isPinned>
              <DecimalColumn amount={grant.remaining} decimals={remainders} />
            </Cell>
            <Cell>
              <Moment at={grant.expires_at} />
            </Cell>
            <Cell>
              <code className="text-xs">{grant.grant_id}</code>
            </Cell>
            <Cell isNumber>
              <GrantEnd grant={grant} onVoid={mayVoid ? setVoided : undefined} />
            </Cell>
          </tr>
        ))}
      </Table>
      {voided !== undefined && (
        <VoidGrant
          accountId={account.account_id}
          grant={voided}
          onClose={() => setVoided(undefined)}
        />
      )}
    </>
  )
}

interface GrantEndProps {
  readonly grant: GrantDetails
  /** Undefined: whoever looks may not take it back. */
  readonly onVoid: ((grant: GrantDetails) => void) | undefined
}

/** How a grant ended, or the way to end it. */
function GrantEnd({ grant, onVoid }: GrantEndProps) {
  if (grant.voided_at !== null) return <Badge look="bad" text={t('grantVoided')} />
  if (hasExpired(grant)) return <Badge text={t('keyExpired')} />
  if (onVoid === undefined) return null
  return (
    <Button look="danger" onClick={() => onVoid(grant)}>
      {t('voidGrant')}
    </Button>
  )
}

interface VoidGrantProps {
  readonly accountId: string
  readonly grant: GrantDetails
  readonly onClose: () => void
}

function VoidGrant({ accountId, grant, onClose }: VoidGrantProps) {
  const about = { account_id: accountId, grant_id: grant.grant_id }
  return (
    <ReviewedChange
      title={t('voidTitle', { amount: exactText(grant.amount) })}
      effect={t('voidEffect')}
      confirm={t('voidGrant')}
      isDangerous
      about={about}
      change={(asked) => callAdmin('voidGrant', { ...about, ...asked })}
      onClose={onClose}
    />
  )
}

function GrantHead() {
  return (
    <>
      <Head>{t('granted')}</Head>
      <Head>{t('category')}</Head>
      <Head isNumber>{t('amount')}</Head>
      <Head isNumber isPinned>
        {t('remaining')}
      </Head>
      <Head>{t('expires')}</Head>
      <Head>{t('grantId')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
}
