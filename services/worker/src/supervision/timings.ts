/** When a supervisor looks after its worker and how long it waits. Milliseconds throughout. */
export interface SupervisorTimings {
  /** Between two looks at the worker's health. */
  readonly heartbeatMs: number
  /** A worker that does not answer for so long is killed. */
  readonly unresponsiveMs: number
  readonly backOffMinMs: number
  readonly backOffMaxMs: number
  /** A worker that was healthy for so long starts again without a growing delay. */
  readonly healthyResetMs: number
  /** A starting worker that says nothing for so long is killed. */
  readonly startSilenceMs: number
}

export const defaultTimings: SupervisorTimings = {
  heartbeatMs: 1000,
  unresponsiveMs: 5000,
  backOffMinMs: 250,
  backOffMaxMs: 10_000,
  healthyResetMs: 30_000,
  startSilenceMs: 120_000,
}
