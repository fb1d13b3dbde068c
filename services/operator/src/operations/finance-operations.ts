/** The close of a month, and whether the books add up. */
import {
  type MonthCustomer,
  type MonthReport,
  type MonthSums,
  monthAmounts,
} from '@svc/contracts/admin/finance'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'
import { QUARTER_MS, textIn } from '@svc/contracts/zone'
import { readMonth, readZoneOf } from '@svc/projections/asked-period'
import type { AccountMonth, AccountRow } from '@svc/projections/views'
import { reconcileLines } from './books/reconcile-lines.ts'
import { type OperationPorts, viewsCurrent } from './ports.ts'

/** This many are looked at in one step, which takes a few milliseconds. */
const ACCOUNTS_PER_STEP = 50

type Sums = { -readonly [Name in keyof MonthSums]: bigint }

export function financeOperations(
  ports: OperationPorts,
): Pick<OperationHandlers, 'month' | 'reconcile'> {
  const { store, pace, projections } = ports
  const viewCurrent = (name: string) => viewsCurrent(ports, name)
  return {
    month: ({ month, zone }) => monthReport(ports, month, zone),
    reconcile: () => reconcileLines({ store, pace, projections, viewCurrent }),
  }
}

/** Makes the report. All sums are of one position of the log, whatever is written meanwhile. */
async function monthReport(
  ports: OperationPorts,
  month: string,
  zoneName: string,
): Promise<MonthReport> {
  const zone = readZoneOf(zoneName)
  const { from, to } = readMonth(month, zone)
  if (from % QUARTER_MS !== 0 || to % QUARTER_MS !== 0) {
    const message = `zone: ${zone} had no quarters of an hour in ${month}`
    throw new ServiceError('invalid_value', message, { param: 'zone' })
  }
  // Read before the views: a month that ends meanwhile is not called over.
  const isOver = ports.clock.nowMs() >= to
  await Promise.all([viewsCurrent(ports, 'usage'), viewsCurrent(ports, 'accounts')])
  const snapshot = await ports.projections.views.movementsSnapshot()
  try {
    const customers: MonthCustomer[] = []
    const totals = noMovement()
    for await (const accounts of accountPages(ports)) {
      await ports.pace.step(() => {
        for (const account of accounts) {
          const sums = sumsOf(snapshot.movements(account.accountId, from, to))
          // Clocks of gateways differ: what moved before an account was opened counts all the same,
          // or the month after would open at another balance than this one closed with.
          if (account.openedAt >= to && isNothing(sums)) continue
          for (const name of monthAmounts) totals[name] += sums[name]
          customers.push(customerOf(account, sums))
        }
      })
    }
    return {
      month,
      zone,
      currency: 'USD',
      position: `${snapshot.position}`,
      from: textIn(from, zone),
      to: textIn(to, zone),
      over: isOver,
      customers,
      totals: shown(totals),
    }
  } finally {
    snapshot.close()
  }
}

async function* accountPages({
  projections,
  pace,
}: OperationPorts): AsyncGenerator<readonly AccountRow[]> {
  for (let after = ''; ; ) {
    const page = await pace.step(() =>
      projections.views.accounts({ after, limit: ACCOUNTS_PER_STEP }),
    )
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.accountId
  }
}

function noMovement(): Sums {
  return sumsWith(() => 0n)
}

function isNothing(sums: Sums): boolean {
  return monthAmounts.every((name) => sums[name] === 0n)
}

function sumsOf(month: AccountMonth): Sums {
  return sumsWith((name) => month[name])
}

function sumsWith(amount: (name: keyof Sums) => bigint): Sums {
  return Object.fromEntries(monthAmounts.map((name) => [name, amount(name)] as const)) as Sums
}

function shown(sums: Sums): MonthSums {
  const texts = monthAmounts.map((name) => [name, formatExact(sums[name])] as const)
  return Object.fromEntries(texts) as MonthSums
}

function customerOf({ accountId, externalId, name }: AccountRow, sums: Sums): MonthCustomer {
  return { account_id: accountId, external_id: externalId, name, ...shown(sums) }
}
