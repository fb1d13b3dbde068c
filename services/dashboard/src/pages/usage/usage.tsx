import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { askedPeriod } from '../../address/asked-period.ts'
import { groups, steps, type UsageSearch } from '../../address/search.ts'
import { ask } from '../../api/queries.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Choice } from '../../ui/field.tsx'
import { AsOf } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { PeriodFields } from '../period-fields.tsx'
import { CostChart } from './cost-chart.tsx'
import { LatencyChart } from './latency-chart.tsx'
import { SavingsChart } from './savings-chart.tsx'
import { TokenChart } from './token-chart.tsx'
import { UsageSums } from './usage-sums.tsx'
import { UsageTable } from './usage-table.tsx'

/** Steps of time that are drawn and listed at once. */
const STEPS_MAX = 750
const route = getRouteApi('/signed-in/accounts/$accountId/usage')

const stepNames = { day: 'byDay', hour: 'byHour', month: 'byMonth' } as const
const groupNames = { key: 'key', model: 'model', format: 'format' } as const

/** What was used, when, and by what; the sums are those of the statement. */
export function Usage() {
  const accountId = useAccountId()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { by = 'day', group } = search
  const asked = { account_id: accountId, ...askedPeriod(search), by, limit: STEPS_MAX }
  const whole = useQuery(ask('usage', asked))
  const grouped = useQuery({
    ...ask('usage', group === undefined ? asked : { ...asked, group_by: group }),
    enabled: group !== undefined,
  })
  const exported = {
    ...{ account_id: accountId, ...askedPeriod(search), by },
    ...(group === undefined ? {} : { group_by: group }),
  }
  return (
    <Page title={t('usage')} action={<ExportLinks name="exportUsage" asked={exported} />}>
      <UsageFilters search={search} onChange={(next) => navigate({ search: next })} />
      <Answer query={whole}>
        {(usage) =>
          usage.data.length === 0 ? (
            <Card>
              <Empty title={t('noUsage')} />
              <AsOf asOf={usage.as_of} />
            </Card>
          ) : (
            <>
              {usage.has_more && <Notice look="warn">{t('usageCut', { count: STEPS_MAX })}</Notice>}
              <UsageSums usage={usage} />
              <Card title={t('cost')}>
                <CostChart usage={usage} />
              </Card>
              <Card title={t('tokens')}>
                <TokenChart usage={usage} />
              </Card>
              <Card title={t('savings')}>
                <SavingsChart usage={usage} />
              </Card>
              <Card title={t('latency')}>
                <LatencyChart accountId={accountId} search={search} by={by} />
              </Card>
            </>
          )
        }
      </Answer>
      {group !== undefined && (
        <Card title={t(groupNames[group])}>
          <Answer query={grouped}>{(usage) => <UsageTable usage={usage} />}</Answer>
        </Card>
      )}
    </Page>
  )
}

interface UsageFiltersProps {
  readonly search: UsageSearch
  readonly onChange: (search: UsageSearch) => void
}

/** What stands in the address: days, the length of steps, and what rows are of. */
function UsageFilters({ search, onChange }: UsageFiltersProps) {
  const { by = 'day', group } = search
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-5">
      <PeriodFields period={search} onChange={(period) => onChange({ ...search, ...period })} />
      <Choice
        label={t('steps')}
        value={by}
        options={steps.map((step) => [step, t(stepNames[step])] as const)}
        onChoose={(step) => onChange({ ...search, by: step })}
      />
      <Choice
        label={t('group')}
        value={group ?? ''}
        options={[['', t('none')], ...groups.map((each) => [each, t(groupNames[each])] as const)]}
        onChoose={(chosen) => {
          const { group: _, ...others } = search
          onChange(chosen === '' ? others : { ...others, group: chosen })
        }}
      />
    </div>
  )
}
