import { countText } from '../../../text/times.ts'
import { t } from '../operator-text.ts'

export interface ProgressProps {
  readonly label: string
  /**
   * The share of the whole work that is done, from 0 to 1; null before the server says anything.
   */
  readonly share: number | null
  /** Events that were read so far, and in a second. */
  readonly events?: number | undefined
  readonly rate?: number | undefined
}

/** How far the server is with its work. */
export function Progress({ label, share, events, rate }: ProgressProps) {
  return (
    <div className="flex flex-col gap-1">
      <progress
        aria-label={label}
        className="h-2 w-full accent-brand"
        max={1}
        {...(share === null ? {} : { value: share })}
      />
      <p className="text-sm text-soft tabular-nums">
        {share === null ? t('beginning') : `${Math.floor(share * 100)} %`}
        {events !== undefined && `, ${t('eventsRead', { count: countText(events) })}`}
        {rate !== undefined && `, ${t('eventsPerSecond', { count: countText(Math.round(rate)) })}`}
      </p>
    </div>
  )
}
