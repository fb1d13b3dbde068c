/** Collects what a reconciliation found, by equation: how much in all, and where first. */
import {
  type EquationName,
  equationNames,
  type ReconcileFinding,
} from '@svc/contracts/admin/finance'
import { formatExact } from '@svc/contracts/money'

/** This many are enough to see what is wrong; the difference counts all of them. */
const FINDINGS_SHOWN_MAX = 100

/** An amount of tokens, pico-dollars or rows, whatever the equation is about. */
type Difference = bigint

export class Findings {
  readonly shown: ReconcileFinding[] = []
  readonly #differences = new Map<EquationName, Difference>()

  /** @param difference how far the two sides are apart; the equation is false even when it is 0 */
  add(equation: EquationName, subject: string, problem: string, difference: Difference): void {
    const magnitude = difference < 0n ? -difference : difference
    this.#differences.set(equation, (this.#differences.get(equation) ?? 0n) + magnitude)
    if (this.shown.length >= FINDINGS_SHOWN_MAX) return
    this.shown.push({ equation, subject, problem, difference: textOf(equation, magnitude) })
  }

  equations() {
    return equationNames.map((name) => ({
      name,
      ok: !this.#differences.has(name),
      difference: textOf(name, this.#differences.get(name) ?? 0n),
    }))
  }
}

function textOf(equation: EquationName, difference: Difference): string {
  if (equation === 'meters' || equation === 'views') return `${difference}`
  return formatExact(difference)
}
