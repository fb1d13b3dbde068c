import { wireFormats } from '@svc/contracts/events/account'
import type { RequestsSearch } from '../../address/search.ts'
import { t } from '../../text/translate.ts'
import { Choice } from '../../ui/forms/field.tsx'
import { keyNames, type NamedKey } from '../key-names.ts'
import { PeriodFields } from '../period-fields.tsx'
import { statusChoices } from './request-status.tsx'

export interface RequestFiltersProps {
  /** Without the request whose receipt is open. */
  readonly search: Omit<RequestsSearch, 'request'>
  readonly onChange: (search: RequestFiltersProps['search']) => void
  /** What can be chosen: the keys of the account, and what models it may ask for. */
  readonly keys: readonly NamedKey[]
  readonly models: readonly string[]
}

const formats = wireFormats.map((format) => [format, format] as const)

/** What stands in the address: days, a key, a status, a model, a format. */
export function RequestFilters({ search, onChange, keys, models }: RequestFiltersProps) {
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
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-4">
      <PeriodFields
        period={search}
        onChange={(period) => onChange({ ...search, ...period })}
        withoutDays="all"
      />
      {choice('key', [...keyNames(keys)])}
      {choice('status', statusChoices)}
      {choice(
        'model',
        models.map((model) => [model, model] as const),
      )}
      {choice('format', formats)}
    </div>
  )
}
