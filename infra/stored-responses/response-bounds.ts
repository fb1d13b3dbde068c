/** How much is kept of responses; the oldest give way to new ones. */
export interface ResponseBounds {
  /** Of one account, so that nobody pushes out what others keep. */
  readonly maxAccountBytes: number
  readonly maxTotalBytes: number
}

export const defaultResponseBounds: ResponseBounds = {
  maxAccountBytes: 256 * 1024 * 1024,
  maxTotalBytes: 4 * 1024 * 1024 * 1024,
}

/** A response larger than this share of its account's room is not kept. */
export const MAX_SHARE_OF_ACCOUNT = 1 / 8
