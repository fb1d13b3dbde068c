/** Compares the months of accounts: what is called what, and that it adds up. */
import { parseDollars } from '@svc/contracts/money'
import { same, type World } from './world.ts'

/** What was booked when nobody looked belongs to the month of the look. */
export async function compareMonths(world: World): Promise<void> {
  const { operations } = world.gateway(0)
  const months = new Set(
    world.pairs.flatMap(({ model }) => model.movements.map(({ at }) => monthOf(at))),
  )
  if (!world.history.looks) return
  for (const month of months) {
    const { customers } = await operations.month({ month })
    for (const { accountId, model } of world.pairs) {
      const row = customers.find(({ account_id }) => account_id === accountId)
      const of = model.movements.filter(({ at }) => monthOf(at) === month)
      const before = model.movements.filter(({ at }) => monthOf(at) < month)
      const total = (all: readonly { amount: bigint }[]) =>
        all.reduce((sum, { amount }) => sum + amount, 0n)
      const sumOf = (test: (type: string, kind: string) => boolean) =>
        total(of.filter(({ type, kind }) => test(type, kind)))
      const should = {
        opening: total(before),
        payments: sumOf((type, kind) => type === 'grant' && kind === 'paid'),
        promotional: sumOf((type, kind) => type === 'grant' && kind === 'promotional'),
        used: -sumOf((type) => type === 'usage'),
        expired: -sumOf((type) => type === 'expiry'),
        refunded: -sumOf(
          (type, kind) => type === 'refund' || (type === 'closing' && kind === 'paid_out'),
        ),
        corrected: sumOf(
          (type, kind) =>
            type === 'adjustment' || type === 'void' || (type === 'closing' && kind !== 'paid_out'),
        ),
        closing: total(before) + total(of),
      }
      const names = Object.keys(should) as (keyof typeof should)[]
      const is = Object.fromEntries(
        names.map((name) => [name, row === undefined ? 0n : parseDollars(row[name])]),
      )
      same(`month ${month} of ${accountId}`, is, should)
    }
  }
}

function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}
