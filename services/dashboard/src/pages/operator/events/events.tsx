import type { LoggedEvent } from '@svc/contracts/admin/log'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
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
import { t } from '../operator-text.ts'
import { actorName } from './actors.ts'

/** Positions of the log on one page. */
const PAGE = 200
const route = getRouteApi('/signed-in/operator/events')

/** Who did what: the event log, a stretch of it at a time, the newest first. */
export function Events() {
  const { at } = route.useSearch()
  const navigate = route.useNavigate()
  const status = useQuery(askAdmin('status', {}))
  return (
    <Page title={t('whoDidWhat')}>
      <Card>
        <Answer query={status}>
          {({ store }) => {
            const head = Number(store.position ?? -1)
            const onMove = (end: number | undefined) =>
              navigate({ search: end === undefined ? {} : { at: end } })
            return <Stretch end={at ?? head} head={head} onMove={onMove} />
          }}
        </Answer>
      </Card>
    </Page>
  )
}

interface StretchProps {
  /** The last position that is shown, and the last one of the log. */
  readonly end: number
  readonly head: number
  /** To another end; undefined: to that of the log. */
  readonly onMove: (end: number | undefined) => void
}

function Stretch({ end, head, onMove }: StretchProps) {
  const after = Math.max(-1, end - PAGE)
  const query = useQuery(askAdmin('listEvents', { after: String(after), limit: PAGE }))
  return (
    <>
      <Answer query={query}>
        {({ events }) => {
          const shown = events.filter(({ position }) => Number(position) <= end).toReversed()
          if (shown.length === 0) return <Empty title={t('noEvents')} />
          return <EventTable events={shown} />
        }}
      </Answer>
      <div className="mt-3 flex flex-wrap gap-2">
        {after >= 0 && <Button onClick={() => onMove(after)}>{t('earlier')}</Button>}
        {end < head && <Button onClick={() => onMove(undefined)}>{t('toNewest')}</Button>}
      </div>
    </>
  )
}

function EventTable({ events }: { readonly events: readonly LoggedEvent[] }) {
  const { data: users = [] } = useQuery(askAdmin('listUsers', {}))
  const head = (
    <>
      <Head isNumber>{t('position')}</Head>
      <Head>{t('time')}</Head>
      <Head>{t('who')}</Head>
      <Head>{t('what')}</Head>
      <Head>{t('stream')}</Head>
    </>
  )
  return (
    <Table label={t('whoDidWhat')} head={head}>
      {events.map((event) => (
        <tr key={event.position} className="hover:bg-panel" data-row>
          <Cell isNumber>{countText(Number(event.position))}</Cell>
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
            <code className="block text-xs">{event.stream}</code>
            <code className="block text-xs text-soft">{event.id}</code>
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

/** As stored: milliseconds since 1970. */
function timeOf({ data }: LoggedEvent): string | null {
  const { at } = data as { readonly at?: unknown }
  return typeof at === 'number' ? new Date(at).toISOString() : null
}

function actorOf({ metadata }: LoggedEvent): string {
  const { actor } = metadata as { readonly actor?: unknown }
  return typeof actor === 'string' ? actor : t('unavailable')
}
