import type { AccountDetails } from '@svc/contracts/admin/accounts'
import type { ReactNode } from 'react'
import { Card, Figure, Figures } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/copying/copy-button.tsx'
import { Age, Moment } from '../../../ui/moment.tsx'
import { ExactMoney } from '../../../ui/money.tsx'
import { AccountStatus } from '../accounts/account-status.tsx'
import { t } from '../operator-text.ts'

/** Available = settled − held, and what is set for the account. */
export function AccountFacts({ account }: { readonly account: AccountDetails }) {
  const { account_id: id, external_id: externalId, metadata } = account
  return (
    <Card title={t('balance')} action={<AccountStatus status={account.status} />}>
      <Figures>
        <Figure name={t('available')}>
          <ExactMoney amount={account.available} />
        </Figure>
        <Figure name={t('settled')}>
          <ExactMoney amount={account.settled} />
        </Figure>
        <Figure name={t('held', { count: account.open_requests })}>
          <ExactMoney amount={account.held} />
        </Figure>
      </Figures>
      <dl className="mt-4 grid grid-cols-[max-content_1fr] items-center gap-x-4 gap-y-1 border-t border-line pt-4 text-sm">
        <Fact name={t('accountId')}>
          <span className="flex flex-wrap items-center gap-x-2">
            <code className="wrap-anywhere">{id}</code>
            <CopyButton look="bare" text={id} />
          </span>
        </Fact>
        {externalId !== null && <Fact name={t('externalId')}>{externalId}</Fact>}
        <Fact name={t('priceList')}>{account.price_list}</Fact>
        <Fact name={t('spendPolicy')}>
          {t(account.spend_policy === 'strict' ? 'policyStrict' : 'policyStandard')}
        </Fact>
        <Fact name={t('opened')}>
          <Moment at={account.opened_at} />
        </Fact>
        <Fact name={t('lastActivity')}>
          <Age at={account.last_activity_at} />
        </Fact>
        {Object.entries(metadata).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
    </Card>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}
