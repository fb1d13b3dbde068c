/** Bytes at a glance; where they must be exact, they are printed whole. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const STEP = 1_024

/** Writes a size, such as `12.4 MiB`. */
export function bytesText(bytes: number): string {
  const exponent = bytes < STEP ? 0 : Math.floor(Math.log2(bytes) / Math.log2(STEP))
  const unit = UNITS[Math.min(exponent, UNITS.length - 1)] ?? 'B'
  const amount = bytes / STEP ** UNITS.indexOf(unit)
  return `${unit === 'B' || Number.isInteger(amount) ? amount : amount.toFixed(1)} ${unit}`
}
