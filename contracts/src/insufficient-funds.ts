/** What a request is told that the balance of its account does not cover. */
import { formatDollars, type PicoDollars } from './money.ts'

export interface UncoveredFunds {
  /** What has been paid and not used, also where running requests hold it. */
  readonly settled: PicoDollars
  /** What of it no running request holds. */
  readonly available: PicoDollars
}

/** Whether what is needed is the worst case, or the least that a request costs. */
export type NeedBound = 'up to' | 'at least'

/**
 * Says what stands in the way. Without credit also what costs nothing is refused: then it is no
 * amount that is short, but the debt, or that there is nothing at all.
 *
 * @param needed null: not known, for nothing was counted
 */
export function insufficientFundsText(
  needed: PicoDollars | null,
  bound: NeedBound,
  funds: UncoveredFunds,
): string {
  if (needed === 0n && funds.settled < 0n) {
    const owed = formatDollars(-funds.settled)
    return `The account owes ${owed}: until that is paid, also what costs nothing is refused.`
  }
  if (needed === 0n && funds.settled === 0n) {
    return 'The balance is $0.00: it must be above zero, also for what costs nothing.'
  }
  return `The balance does not cover it: ${neededAndAvailable(needed, bound, funds)}.`
}

/** The two amounts, for the middle of a sentence. */
export function neededAndAvailable(
  needed: PicoDollars | null,
  bound: NeedBound,
  { available }: Pick<UncoveredFunds, 'available'>,
): string {
  const need = needed === null ? '' : `the request needs ${bound} ${formatDollars(needed)}, `
  return `${need}available is ${formatDollars(available)}`
}
