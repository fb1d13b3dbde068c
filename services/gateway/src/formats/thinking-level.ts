/** The thinking level that all formats share, as what the worker is told. */
import type { Thinking } from '@svc/contracts/worker/protocol'

export const thinkingLevels = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type ThinkingLevel = (typeof thinkingLevels)[number]

export const noThinking: Thinking = { enabled: false, effort: 'low', budgetTokens: 0 }

/** Budgets in tokens; `max` has none. */
const levels: Readonly<Record<ThinkingLevel, Thinking>> = {
  none: noThinking,
  minimal: noThinking,
  low: { enabled: true, effort: 'low', budgetTokens: 1_024 },
  medium: { enabled: true, effort: 'medium', budgetTokens: 4_096 },
  high: { enabled: true, effort: 'high', budgetTokens: 16_384 },
  xhigh: { enabled: true, effort: 'high', budgetTokens: 32_768 },
  max: { enabled: true, effort: 'high', budgetTokens: null },
}

/** Thinking is off unless it is asked for. */
export function thinkingAt(level: ThinkingLevel | null | undefined): Thinking {
  return levels[level ?? 'none']
}
