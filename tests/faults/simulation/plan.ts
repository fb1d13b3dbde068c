/**
 * What one history is like. Each seed draws which kinds of faults there are, and how much of each:
 * a history with few kinds goes deeper than one with all of them at once.
 */
import type { Random } from '@svc/testing/random'
import { type NetworkFaults, NO_FAULTS } from './surroundings/network.ts'

export interface HistoryPlan {
  readonly gateways: number
  readonly accounts: readonly AccountPlan[]
  readonly customers: number
  readonly requestsPerCustomer: number
  /** Of all that happens before the faults end, in milliseconds. */
  readonly lengthMs: number
  readonly network: NetworkFaults
  readonly diskMs: number
  readonly viewLagMs: number
  /** How often these happen, on average; infinite for never. */
  readonly everyMs: FaultPauses
  /** Steps after which a process dies, on average; infinite for never. */
  readonly stepsToDeath: number
  /** By how much clocks are wrong at most. */
  readonly skewMs: number
  /** Share of the answers of workers that break off. */
  readonly brokenRuns: number
  /** Share of the calls whose connection is cut. */
  readonly cutCalls: number
  /** Whether calls go to the gateway of their account first, or to any. */
  readonly isAffine: boolean
  readonly hasRevocation: boolean
  readonly hasNewPrice: boolean
}

export interface FaultPauses {
  readonly storeRestart: number
  readonly freeze: number
  readonly busOutage: number
  readonly busLoss: number
  readonly cacheLoss: number
}

export interface AccountPlan {
  readonly spendPolicy: 'standard' | 'strict'
  readonly credit: bigint
}

export function drawPlan(random: Random): HistoryPlan {
  const often = (shortestMs: number): number =>
    random.next() < 0.4 ? shortestMs * (1 + random.next() * 3) : Number.POSITIVE_INFINITY
  const share = (most: number): number => (random.next() < 0.5 ? random.next() * most : 0)
  return {
    gateways: 1 + random.integer(3),
    accounts: Array.from({ length: 1 + random.integer(2) }, () => drawAccount(random)),
    customers: 2 + random.integer(4),
    requestsPerCustomer: 2 + random.integer(4),
    lengthMs: 6_000,
    network:
      random.next() < 0.2
        ? NO_FAULTS
        : { slow: share(0.15), lost: share(0.12), repeated: share(0.2) },
    diskMs: random.pick([2, 10, 60]),
    viewLagMs: random.pick([0, 50, 700]),
    everyMs: {
      storeRestart: often(600),
      freeze: often(1_000),
      busOutage: often(1_500),
      busLoss: often(700),
      cacheLoss: often(1_000),
    },
    stepsToDeath: random.next() < 0.6 ? 20 + random.integer(130) : Number.POSITIVE_INFINITY,
    skewMs: random.next() < 0.3 ? 1_500 : 0,
    brokenRuns: share(0.3),
    cutCalls: share(0.3),
    isAffine: random.next() < 0.3,
    hasRevocation: random.next() < 0.3,
    hasNewPrice: random.next() < 0.4,
  }
}

/** From hardly anything to enough: what matters happens where credit runs out. */
function drawAccount(random: Random): AccountPlan {
  return {
    spendPolicy: random.pick(['standard', 'strict'] as const),
    credit: BigInt(random.pick([60, 150, 400, 5_000])),
  }
}
