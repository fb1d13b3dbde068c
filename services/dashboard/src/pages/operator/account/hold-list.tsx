import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { askAdminPages } from '../../../api/admin-pages.ts'
import { serverNow } from '../../../api/server-clock.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { useTicking } from '../../../ui/drawing/ticking.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Age, Moment } from '../../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../../ui/money.tsx'
import { MoreRows } from '../../../ui/more-rows.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { fromPage } from '../../close-receipt.ts'
import { t } from '../operator-text.ts'

const PAGE = 100

/** What running requests hold, the oldest first: of one account, or of all. */
export function HoldList({ accountId }: { readonly accountId?: string }) {
  const query = useInfiniteQuery(askAdminPages('listHolds', { account_id: accountId, limit: PAGE }))
  const head = (
    <>
      <Head>{t('heldSince')}</Head>
      <Head>{t('request')}</Head>
      {accountId === undefined && <Head>{t('account')}</Head>}
      <Head isNumber isPinned>
        {t('heldNow')}
      </Head>
      <Head>{t('deadline')}</Head>
    </>
  )
  return (
    <Answer query={query}>
      {({ pages }) => {
        const holds = pages.flatMap((page) => page.holds)
        if (holds.length === 0) return <Empty title={t('noHolds')} />
        const decimals = finestOf(holds.map(({ held }) => held))
        return (
          <>
            <Table label={t('holds')} head={head}>
              {holds.map((hold) => (
                <tr key={hold.request_id} className="hover:bg-panel" data-row>
                  <Cell>
                    <Age at={hold.held_since} />
                  </Cell>
                  <Cell>
                    <Link
                      to="/operator/accounts/$accountId"
                      params={{ accountId: hold.account_id }}
                      search={{ view: 'requests', request: hold.request_id }}
                      state={fromPage}
                    >
                      {hold.request_id}
                    </Link>
                  </Cell>
                  {accountId === undefined && (
                    <Cell>
                      <code className="text-xs">{hold.account_id}</code>
                    </Cell>
                  )}
                  <Cell isNumber isPinned>
                    <DecimalColumn amount={hold.held} decimals={decimals} />
                  </Cell>
                  <Cell>
                    <Moment at={hold.deadline} /> <Overdue deadline={hold.deadline} />
                  </Cell>
                </tr>
              ))}
            </Table>
            <MoreRows query={query} />
          </>
        )
      }}
    </Answer>
  )
}

function Overdue({ deadline }: { readonly deadline: string }) {
  const ends = Date.parse(deadline)
  const isOver = useTicking(() => ends < serverNow())
  return isOver && <Badge look="bad" text={t('overdue')} />
}
