/** Dollars as heights in a chart: exact amounts stay text, only the drawing is of these. */
import { formatDollars, parseDollars } from '@svc/contracts/money'

/** A number holds every nano-dollar of nine million dollars. */
const PICO_PER_NANODOLLAR = 1_000n

/** @returns nano-dollars */
export function dollarHeight(amount: string): number {
  return Number(parseDollars(amount) / PICO_PER_NANODOLLAR)
}

/** @param height in nano-dollars */
export function heightText(height: number): string {
  return formatDollars(BigInt(Math.round(height)) * PICO_PER_NANODOLLAR)
}
