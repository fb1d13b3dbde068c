const looks = {
  plain: 'border-edge text-soft',
  good: 'border-good bg-good-back text-good',
  warn: 'border-warn bg-warn-back text-warn',
  bad: 'border-bad bg-bad-back text-bad',
} as const
export type BadgeLook = keyof typeof looks

/** A state, in a word. */
export function Badge({
  look = 'plain',
  text,
}: {
  readonly look?: BadgeLook
  readonly text: string
}) {
  return (
    <span
      className={`inline-block rounded-full border px-2 py-px text-xs whitespace-nowrap ${looks[look]}`}
    >
      {text}
    </span>
  )
}
