import { useContext } from 'react'
import { serverNow } from '../api/server-clock.ts'
import { ShownZone } from '../text/shown-zone.ts'
import { ago, momentText } from '../text/times.ts'
import { t } from '../text/translate.ts'

/** When something was, in the zone that the page shows; exactly in its title. */
export function Moment({ at }: { readonly at: string | null }) {
  const zone = useContext(ShownZone)
  if (at === null) return <span className="text-soft">{t('never')}</span>
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap tabular-nums">
      {momentText(at, zone)}
    </time>
  )
}

/** How long ago it was, by the clock of the server: that of the browser may be wrong. */
export function Age({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="text-soft">{t('never')}</span>
  return (
    <time dateTime={at} title={momentText(at)} className="whitespace-nowrap">
      {ago(Date.parse(at), serverNow())}
    </time>
  )
}
