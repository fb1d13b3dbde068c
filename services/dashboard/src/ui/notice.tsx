import type { ReactNode } from 'react'

const looks = {
  info: 'border-line bg-panel',
  good: 'border-good bg-good-back',
  warn: 'border-warn bg-warn-back',
  bad: 'border-bad bg-bad-back',
} as const

export interface NoticeProps {
  readonly look?: keyof typeof looks
  readonly children: ReactNode
}

/** Something to know, in its place. What is wrong is read out at once. */
export function Notice({ look = 'info', children }: NoticeProps) {
  return (
    <div
      role={look === 'bad' ? 'alert' : 'status'}
      className={`rounded-md border px-4 py-3 text-sm ${looks[look]}`}
    >
      {children}
    </div>
  )
}
