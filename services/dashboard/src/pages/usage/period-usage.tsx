import type { UsageAnswer } from '@svc/contracts/wire/usage'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { groups, steps, type UsageSearch } from '../../address/search.ts'
import type { ApiError } from '../../api/api-error.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Card } from '../../ui/card.tsx'
import { Settled } from '../../ui/drawing/settled.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Choice } from '../../ui/forms/field.tsx'
import { AsOf } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import { OpenPeriod } from '../open-period.tsx'
import { PeriodFields } from '../period-fields.tsx'
import { GroupedUsage, type GroupedUsageProps } from './grouped-usage.tsx'
import { UsageCharts, type UsageChartsProps } from './usage-charts.tsx'
import { STEPS_MAX } from './usage-queries.ts'
import { UsageSums, type UsageSumsProps } from './usage-sums.tsx'

const stepNames = { day: 'byDay', hour: 'byHour', month: 'byMonth' } as const
const groupNames = { key: 'key', model: 'model', format: 'format' } as const

type UsageAsOf = UsageAnswer & UsageSumsProps['usage']

export interface PeriodUsageProps<Grouped extends UsageAnswer>
  extends UsageFiltersProps,
    Pick<UsageChartsProps, 'latencyOf'>,
    Pick<GroupedUsageProps<Grouped>, 'keys'> {
  readonly accountId: string
  /** Of the whole account, as the charts show it. */
  readonly whole: UseQueryResult<UsageAsOf, ApiError>
  /** Of each key, model or format; it rests where the search names no group. */
  readonly grouped: UseInfiniteQueryResult<InfiniteData<Grouped>, ApiError>
}

/** What was used in a period that can be chosen: sums, charts, a table of what they group by. */
export function PeriodUsage<Grouped extends UsageAnswer>(props: PeriodUsageProps<Grouped>) {
  const { accountId, search, onChange, whole, grouped, keys, latencyOf } = props
  const { group } = search
  return (
    <>
      <UsageFilters search={search} onChange={onChange} />
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
                  <UsageCharts latencyOf={latencyOf} usage={usage} />
                </>
              )
            }
          </Settled>
        )}
      </Answer>
      {group !== undefined && (
        <Card title={t(groupNames[group])}>
          <GroupedUsage asked={JSON.stringify([accountId, search])} query={grouped} keys={keys} />
        </Card>
      )}
    </>
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
    <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <PeriodFields
        period={search}
        onChange={(period) => onChange({ ...search, ...period })}
        withoutDays="thirtyDays"
      />
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
