/**
 * What a worker can be asked for, apart from how it is asked: {@link startProtocolServer} serves
 * whatever keeps these promises, on any engine.
 */
import type {
  AuditResponse,
  CancelResponse,
  GenerateEvent,
  GenerateRequest,
  HealthResponse,
  PrepareRequest,
  PrepareResponse,
  StateResponse,
} from '@svc/contracts/worker/protocol'

/** Waits while the client does not read, at most until the signal. Never throws. */
export type Emit = (event: GenerateEvent, signal: AbortSignal) => Promise<void>

export interface WorkerApi {
  health(): HealthResponse
  state(): StateResponse
  /**
   * Makes tokens and a plan of a conversation. Whatever of the request `generate` would refuse is
   * refused here, before anything costs.
   *
   * @param stop ends the work early: its reason is thrown then
   * @throws WorkerRefusal when the template refuses, the prompt is absurdly long, the plan cannot
   *   be made, or no answer can be drawn with these options
   */
  prepare(request: PrepareRequest, stop?: AbortSignal): Promise<PrepareResponse>
  /**
   * Gives every event of the answer to `emit`, the last one is `done` or `error`.
   *
   * @returns a promise that resolves after the last event
   * @throws WorkerRefusal before anything was computed
   */
  generate(request: GenerateRequest, emit: Emit): Promise<void>
  cancel(requestId: string): CancelResponse
  /** Takes no more requests, or takes them again. Those that run go on. */
  drain(draining: boolean): HealthResponse
  /**
   * Computes cached blocks again and compares them.
   *
   * @param sample how many blocks at most
   * @throws WorkerRefusal when the worker is too busy
   */
  audit(sample: number): Promise<AuditResponse>
}
