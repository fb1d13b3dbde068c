/** An attack on the service: what it costs the attacker, and what he does as long as it lasts. */

export interface Attack {
  /** As `--only` takes it. */
  readonly name: string
  /** One sentence for the table of results. */
  readonly about: string
  /** Of the attacker's account, in dollars; `0` opens one that never had credit. */
  readonly credit: string
  /** API keys of the attacker's account. */
  readonly keys: number
  /** Runs until the signal. It never rejects: refusals and broken connections are expected. */
  run(target: Target): Promise<void>
}

/** What an attacker knows and has. */
export interface Target {
  /** Without `/v1`. */
  readonly baseUrl: string
  /** The attacker's own keys. */
  readonly keys: readonly string[]
  readonly signal: AbortSignal
  /** Counts how a request ended: its status, or `broken` without one. */
  ended(status: number | 'broken'): void
}

/** What the attacking process is told as its argument. */
export interface AttackPlan {
  readonly attack: string
  readonly baseUrl: string
  readonly keys: readonly string[]
  readonly seconds: number
}

/** What it prints as its last line: how often each status came. */
export type AttackResult = Readonly<Record<string, number>>
