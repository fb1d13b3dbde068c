/** How much is kept of recorded answers; the oldest give way to new ones. */
export const DEFAULT_MAX_TOTAL_BYTES = 256 * 1024 * 1024
/** An answer larger than this share of the whole is not kept: it would push out too many others. */
export const MAX_SHARE_OF_TOTAL = 1 / 8
