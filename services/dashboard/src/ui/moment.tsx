import { useContext } from 'react'
import { serverNow } from '../api/server-clock.ts'
import { ShownZone } from '../text/shown-zone.ts'
import { ago, countText, momentText } from '../text/times.ts'
import { t } from '../text/translate.ts'
import { useTicking } from './drawing/ticking.ts'

/**
 * When something was, in the zone that the page shows; exactly in its title. In a narrow window
 * the time of day may go below the day: a time that is cut at its end reads as another one.
 */
export function Moment({ at }: { readonly at: string | null }) {
  const zone = useContext(ShownZone)
  if (at === null) return <span className="text-soft">{t('never')}</span>
  const parts = momentText(at, zone).split(/(?<=,) /)
  return (
    <time dateTime={at} title={at} className="tabular-nums sm:whitespace-nowrap">
      {parts.map((part, index) => (
        <span key={part} className="whitespace-nowrap">
          {index === 0 ? part : ` ${part}`}
        </span>
      ))}
    </time>
  )
}

/** How long ago it was, by the clock of the server: that of the browser may be wrong. */
export function Age({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="text-soft">{t('never')}</span>
  return <KnownAge at={at} />
}

function KnownAge({ at }: { readonly at: string }) {
  const then = Date.parse(at)
  return (
    <time dateTime={at} title={momentText(at)} className="whitespace-nowrap">
      {useTicking(() => ago(then, serverNow()))}
    </time>
  )
}

export interface AsOfProps {
  /**
   * What the answer beside it is up to. A server that is older than the page, as in the middle of
   * an upgrade, leaves it undefined, whatever the declaration says, and then nothing is said.
   */
  readonly asOf: { readonly position: string; readonly at: string } | undefined
  /** Whether the page asks anew all the time, so that its age says more than a time of day. */
  readonly isRefreshed?: boolean
}

/** What numbers are up to: a time, not an age, where a page that is left open asks nothing anew. */
export function AsOf({ asOf, isRefreshed = false }: AsOfProps) {
  if (asOf === undefined) return null
  const { position, at } = asOf
  return (
    <p className="mt-3 text-sm text-soft" data-as-of>
      {t('asOf', { position: countText(Number(position)) })}{' '}
      {isRefreshed ? <Age at={at} /> : <Moment at={at} />}
    </p>
  )
}
