/** How many bytes a store keeps; old texts give way to new ones. */
export interface StoreBounds {
  /** The most bytes of one account. */
  readonly maxAccountBytes: number
  readonly maxTotalBytes: number
}

/** Answers for retries are kept for a day. */
export const answerBounds: StoreBounds = {
  maxAccountBytes: 256 * 1024 * 1024,
  maxTotalBytes: 1024 * 1024 * 1024,
}

/** Responses to go on from are kept for thirty days. */
export const responseBounds: StoreBounds = {
  maxAccountBytes: 256 * 1024 * 1024,
  maxTotalBytes: 4 * 1024 * 1024 * 1024,
}

/** A text larger than this share of its account's room is not kept. */
export const SHARE_OF_ACCOUNT_MAX = 1 / 8
