import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RequestsSearch } from '../../address/search.ts'
import { ask } from '../../api/queries.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, Field } from '../../ui/field.tsx'
import { PeriodFields } from '../period-fields.tsx'
import { statusChoices } from './request-status.tsx'

export interface RequestFiltersProps {
  readonly accountId: string
  readonly search: RequestsSearch
  readonly onChange: (search: RequestsSearch) => void
}

/** What stands in the address: a day, a key, a status; and any id, which opens its receipt. */
export function RequestFilters({ accountId, search, onChange }: RequestFiltersProps) {
  const { data: keys = [] } = useQuery(ask('listAccountKeys', { account_id: accountId }))
  const [id, setId] = useState('')
  const { key, status, ...others } = search
  return (
    <form
      className="grid grid-cols-2 items-end gap-3 md:grid-cols-4 lg:grid-cols-6"
      onSubmit={(event) => {
        event.preventDefault()
        if (id.trim() !== '') onChange({ ...search, request: id.trim() })
      }}
    >
      <PeriodFields period={search} onChange={(period) => onChange({ ...search, ...period })} />
      <Choice
        label={t('key')}
        value={key ?? ''}
        options={[['', t('all')], ...keys.map((each) => [each.key_id, each.name] as const)]}
        onChoose={(chosen) =>
          onChange({ ...others, ...pick('status', status), ...pick('key', chosen) })
        }
      />
      <Choice
        label={t('status')}
        value={status ?? ''}
        options={[['', t('all')], ...statusChoices]}
        onChoose={(chosen) =>
          onChange({ ...others, ...pick('key', key), ...pick('status', chosen) })
        }
      />
      <Field
        label={t('findId')}
        placeholder="req_…, chatcmpl-…"
        value={id}
        onChange={({ target }) => setId(target.value)}
      />
      <Button type="submit">{t('find')}</Button>
    </form>
  )
}

function pick<Name extends string, Value extends string>(
  name: Name,
  value: Value | '' | undefined,
): { readonly [Key in Name]?: Value } {
  return value === '' || value === undefined
    ? {}
    : ({ [name]: value } as { readonly [Key in Name]: Value })
}
