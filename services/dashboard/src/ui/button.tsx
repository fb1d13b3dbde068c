import type { ButtonHTMLAttributes } from 'react'

const looks = {
  main: 'bg-brand text-on-brand border-transparent font-medium hover:opacity-90',
  plain: 'bg-paper text-ink border-edge hover:bg-panel',
  danger: 'bg-paper text-bad border-bad hover:bg-bad-back',
  bare: 'border-transparent text-ink hover:bg-panel',
} as const

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof looks
}

/** A button that does something here; what leads elsewhere is a link. */
export function Button({ look = 'plain', className = '', type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={`${buttonClass(look)} ${className}`} {...rest} />
}

/** Gives links that stand among buttons the look of a button. */
export function buttonClass(look: keyof typeof looks): string {
  return `inline-flex min-h-9 items-center whitespace-nowrap justify-center gap-2 rounded-md border px-3 py-1 text-sm no-underline disabled:cursor-not-allowed disabled:opacity-60 ${looks[look]}`
}
