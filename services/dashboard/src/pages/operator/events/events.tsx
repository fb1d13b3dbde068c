import type { LoggedEvent } from '@svc/contracts/admin/events'
import { accountOfStream } from '@svc/contracts/events/account'
import { ADMINISTRATORS } from '@svc/contracts/events/actors'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { ANY } from '../../../address/operator-search.ts'
import { given } from '../../../address/search.ts'
import { askAdmin } from '../../../api/admin.ts'
import { countText } from '../../../text/times.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { GivenName } from '../../../ui/given-name.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Page } from '../../../ui/page.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { RowLink } from '../../row-link.tsx'
import { t } from '../operator-text.ts'
import { actorName } from './actors.ts'
import { EventContent } from './event-content.tsx'
import { EventFilters } from './event-filters.tsx'

const PAGE = 200
/** Of the events that only say that somebody has looked at something. */
const LOOKED_AT = 'RecordsRead'
const route = getRouteApi('/signed-in/operator/events')

/** Shows who did what: the event log, a page at a time, the newest event first. */
export function Events() {
  const { at, who, what } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = { ...actorAsked(who), ...typeAsked(what) }
  const until = at === undefined ? undefined : String(at)
  const query = useQuery(askAdmin('newestEvents', { ...filter, until, limit: PAGE }))
  const next = query.data?.next ?? null
  const moveTo = (end: number | undefined) =>
    navigate({ search: ({ at: _, ...rest }) => ({ ...rest, ...given('at', end) }) })
  return (
    <Page title={t('whoDidWhat')}>
      <EventFilters who={who} what={what} onChange={(search) => navigate({ search })} />
      <Card>
        <Answer query={query}>
          {({ events, more }) => {
            if (events.length === 0) return <Empty title={t(more ? 'noEventsYet' : 'noEvents')} />
            return <EventTable events={events} />
          }}
        </Answer>
        <div className="mt-3 flex flex-wrap gap-2">
          {next !== null && <Button onClick={() => moveTo(Number(next))}>{t('earlier')}</Button>}
          {at !== undefined && <Button onClick={() => moveTo(undefined)}>{t('toNewest')}</Button>}
        </div>
      </Card>
    </Page>
  )
}

function EventTable({ events }: { readonly events: readonly LoggedEvent[] }) {
  const { data: users = [] } = useQuery(askAdmin('listUsers', {}))
  const head = (
    <>
      <Head>{t('time')}</Head>
      <Head>{t('who')}</Head>
      <Head>{t('what')}</Head>
      <Head>{t('stream')}</Head>
      <Head isNumber>{t('position')}</Head>
    </>
  )
  return (
    <Table label={t('whoDidWhat')} head={head}>
      {events.map((event) => (
        <tr key={event.position} className="hover:bg-panel" data-row>
          <Cell>
            <Moment at={timeOf(event)} />
          </Cell>
          <Cell>
            <GivenName name={actorName(actorOf(event), users)} />
          </Cell>
          <Cell>
            <span className="whitespace-nowrap">{event.type}</span>
          </Cell>
          <Cell>
            <StreamName stream={event.stream} />
            <code className="block text-xs text-soft">{event.id}</code>
            <EventContent event={event} />
          </Cell>
          <Cell isNumber>{countText(Number(event.position))}</Cell>
        </tr>
      ))}
    </Table>
  )
}

function actorAsked(who: string | undefined): { readonly actor?: string } {
  return who === ANY ? {} : { actor: who ?? ADMINISTRATORS }
}

function typeAsked(what: string | undefined): { readonly type?: string; readonly except?: string } {
  if (what === undefined) return { except: LOOKED_AT }
  return what === ANY ? {} : { type: what }
}

/** The stream of an account leads to the account. */
function StreamName({ stream }: { readonly stream: string }) {
  const { basepath } = useRouter()
  const name = <code className="block text-xs">{stream}</code>
  const accountId = accountOfStream(stream)
  if (accountId === undefined) return name
  return <RowLink href={`${basepath}/operator/accounts/${accountId}`}>{name}</RowLink>
}

/** Reads when the event happened. Events store milliseconds since 1970. */
function timeOf({ data }: LoggedEvent): string | null {
  const { at } = data as { readonly at?: unknown }
  return typeof at === 'number' ? new Date(at).toISOString() : null
}

function actorOf({ metadata }: LoggedEvent): string {
  const { actor } = metadata as { readonly actor?: unknown }
  return typeof actor === 'string' ? actor : t('unavailable')
}
