import { formatDollars, formatGlance, parseDollars } from '@svc/contracts/money'
import type { ClipboardEvent } from 'react'
import { t } from '../text/translate.ts'

export interface MoneyProps {
  /** Exact decimal text in dollars; null: unknown. */
  readonly amount: string | null | undefined
}

/** Shows an amount with every decimal, for rows that are added up. */
export function ExactMoney({ amount }: MoneyProps) {
  if (amount === null || amount === undefined) return <span>{t('unavailable')}</span>
  return <span className="tabular-nums whitespace-nowrap">{exactText(amount)}</span>
}

/**
 * Shows an amount with two decimals, for a look. It is exact in its title, for screen readers, and
 * when it is copied.
 */
export function GlanceMoney({ amount }: MoneyProps) {
  if (amount === null || amount === undefined) return <span>{t('unavailable')}</span>
  const exact = exactText(amount)
  return (
    <span
      className="tabular-nums whitespace-nowrap"
      title={exact}
      onCopy={(event) => copyInstead(event, exact)}
    >
      <span aria-hidden="true">{formatGlance(parseDollars(amount))}</span>
      <span className="sr-only select-none">{exact}</span>
    </span>
  )
}

/** Whoever copies more than the element copies what is seen there, once. */
function copyInstead(event: ClipboardEvent<HTMLElement>, text: string): void {
  const { anchorNode = null, focusNode = null } = getSelection() ?? {}
  const isInside = [anchorNode, focusNode].every((node) => event.currentTarget.contains(node))
  if (!isInside) return
  event.clipboardData.setData('text/plain', text)
  event.preventDefault()
}

export function exactText(amount: string): string {
  return formatDollars(parseDollars(amount))
}

function isZero(amount: string): boolean {
  return parseDollars(amount) === 0n
}

export interface DecimalColumnProps {
  readonly amount: string
  /** Decimals of the finest amount of the column: all points then stand below one another. */
  readonly decimals: number
  /** A movement of nothing is a dash; a balance of nothing is an amount. */
  readonly isBalance?: boolean
}

/** An amount in a column: its point stands below the points of the others. */
export function DecimalColumn({ amount, decimals, isBalance = false }: DecimalColumnProps) {
  if (!isBalance && isZero(amount)) return <span className="text-soft">–</span>
  const exact = exactText(amount)
  const missing = Math.max(0, decimals - decimalsOf(exact))
  return (
    <span className="tabular-nums whitespace-nowrap">
      {exact}
      <span aria-hidden="true" className="invisible select-none">
        {'0'.repeat(missing)}
      </span>
    </span>
  )
}

/** Decimals of the finest of the amounts. */
export function finestOf(amounts: readonly string[]): number {
  return Math.max(2, ...amounts.map(decimalsOf))
}

function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}
