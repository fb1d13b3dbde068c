import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { groups, steps, type UsageSearch } from '../../address/search.ts'
import { useAccountId } from '../../layout/account-id.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { Settled } from '../../ui/drawing/settled.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Choice } from '../../ui/field.tsx'
import { AsOf } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ExportLinks } from '../export-links.tsx'
import { OpenPeriod } from '../open-period.tsx'
import { PeriodFields } from '../period-fields.tsx'
import { GroupedUsage } from './grouped-usage.tsx'
import { UsageCharts } from './usage-charts.tsx'
import { STEPS_MAX, usageQueries } from './usage-queries.ts'
import { UsageSums } from './usage-sums.tsx'

const route = getRouteApi('/signed-in/accounts/$accountId/usage')

const stepNames = { day: 'byDay', hour: 'byHour', month: 'byMonth' } as const
const groupNames = { key: 'key', model: 'model', format: 'format' } as const

/** What was used, when, and by what; the sums are those of the statement. */
export function Usage() {
  const accountId = useAccountId()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { group } = search
  const { asked, ...queries } = usageQueries(accountId, search)
  const whole = useQuery(queries.whole)
  return (
    <Page title={t('usage')} action={<ExportLinks name="exportUsage" asked={asked} />}>
      <UsageFilters search={search} onChange={(next) => navigate({ search: next })} />
      <OpenPeriod period={search} />
      <Answer query={whole}>
        {(usage) => (
          <Settled isOld={whole.isPlaceholderData}>
            {() =>
              usage.data.length === 0 ? (
                <Card>
                  <Empty title={t('noUsage')} />
                  <AsOf asOf={usage.as_of} />
                </Card>
              ) : (
                <>
                  {usage.has_more && (
                    <Notice look="warn">{t('usageCut', { count: STEPS_MAX })}</Notice>
                  )}
                  <UsageSums usage={usage} />
                  <UsageCharts {...{ accountId, usage, search }} />
                </>
              )
            }
          </Settled>
        )}
      </Answer>
      {group !== undefined && (
        <Card title={t(groupNames[group])}>
          <GroupedUsage list={queries.grouped} />
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
