/**
 * What a store of events has noticed about itself and its server, so that it can be shown without
 * asking the server: `svc status`, `/readyz`.
 */
export interface StoreHealth {
  /** Tells what is wrong now, the worst first; empty when all is well. */
  troubles(): readonly StoreTrouble[]
  /** Streams that nothing is built on, and what the store was told about them. */
  setAside(): readonly { readonly stream: string; readonly order: string }[]
}

export interface StoreTrouble {
  /** One sentence for the operator: what is wrong, and what to do. */
  readonly message: string
  /** Says in words for anybody that requests are better sent to another server; else absent. */
  readonly notReady?: string
}

export const healthyStore: StoreHealth = { troubles: () => [], setAside: () => [] }
