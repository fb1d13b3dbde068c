import { wireFormats } from '@svc/contracts/events/account'
import { useQuery } from '@tanstack/react-query'
import type { RequestsSearch } from '../../address/search.ts'
import { ask } from '../../api/queries.ts'
import { t } from '../../text/translate.ts'
import { Choice } from '../../ui/field.tsx'
import { PeriodFields } from '../period-fields.tsx'
import { statusChoices } from './request-status.tsx'

export interface RequestFiltersProps {
  readonly accountId: string
  readonly search: RequestsSearch
  readonly onChange: (search: RequestsSearch) => void
}

const formats = wireFormats.map((format) => [format, format] as const)

/** What stands in the address: days, a key, a status, a model, a format. */
export function RequestFilters({ accountId, search, onChange }: RequestFiltersProps) {
  const { data: keys = [] } = useQuery(ask('listAccountKeys', { account_id: accountId }))
  const { data: prices } = useQuery(ask('prices', { account_id: accountId }))
  const models = prices?.data.map(({ model }) => [model, model] as const) ?? []
  const choice = <Value extends string>(
    name: 'key' | 'status' | 'model' | 'format',
    options: readonly (readonly [Value, string])[],
  ) => (
    <Choice
      label={t(name)}
      value={search[name] ?? ''}
      options={[['', t('all')], ...options]}
      onChoose={(chosen) => {
        const { [name]: _, ...others } = search
        onChange(chosen === '' ? others : { ...others, [name]: chosen })
      }}
    />
  )
  return (
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-4 xl:grid-cols-7">
      <PeriodFields period={search} onChange={(period) => onChange({ ...search, ...period })} />
      {choice(
        'key',
        keys.map((each) => [each.key_id, each.name] as const),
      )}
      {choice('status', statusChoices)}
      {choice('model', models)}
      {choice('format', formats)}
    </div>
  )
}
