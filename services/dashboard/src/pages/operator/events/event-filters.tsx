import { userActor } from '@svc/contracts/events/actors'
import { useQuery } from '@tanstack/react-query'
import { ANY, type EventsSearch } from '../../../address/operator-search.ts'
import { given } from '../../../address/search.ts'
import { askAdmin } from '../../../api/admin.ts'
import { Choice } from '../../../ui/forms/field.tsx'
import { t } from '../operator-text.ts'
import { actorName } from './actors.ts'
import { eventTypes } from './event-types.ts'

export interface EventFiltersProps {
  readonly who: string | undefined
  readonly what: string | undefined
  readonly onChange: (search: EventsSearch) => void
}

/**
 * Whose events, and of what type. At first it is what people and admin tokens changed: requests of
 * customers, and what somebody only looked at, would hide all else.
 */
export function EventFilters({ who = '', what = '', onChange }: EventFiltersProps) {
  const { data: users = [] } = useQuery(askAdmin('listUsers', {}))
  const kinds = [
    ['', t('administrators')],
    [ANY, t('everybody')],
    ['user', t('users')],
    ['operator', t('adminTokens')],
    ['gateway', t('requests')],
  ] as const
  const people = users.map(({ user_id: id }) => {
    const actor = userActor(id)
    return [actor, actorName(actor, users)] as const
  })
  const search = (next: { readonly who: string; readonly what: string }): EventsSearch => ({
    ...given('who', next.who || undefined),
    ...given('what', next.what || undefined),
  })
  return (
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-4">
      <Choice
        label={t('who')}
        value={who}
        options={withChosen([...kinds, ...people], who)}
        onChoose={(chosen) => onChange(search({ who: chosen, what }))}
      />
      <Choice
        label={t('what')}
        value={what}
        options={withChosen(
          [
            ['', t('allChanges')],
            [ANY, t('anything')],
            ...eventTypes.map((type) => [type, type] as const),
          ],
          what,
        )}
        onChoose={(chosen) => onChange(search({ who, what: chosen }))}
      />
    </div>
  )
}

type Options = readonly (readonly [value: string, text: string])[]

/** What a link asks for is shown as chosen, also where nobody could choose it here. */
function withChosen(options: Options, chosen: string): Options {
  const isThere = options.some(([value]) => value === chosen)
  return isThere ? options : [...options, [chosen, chosen]]
}
