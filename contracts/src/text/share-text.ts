const TENTHS_OF_ALL = 1_000
const TENTHS_OF_A_PER_CENT = 10

/** Writes a share of 1, such as `66.7 %`. A share that is not all of it is never shown as 100. */
export function shareText(share: number): string {
  const tenths = Math.floor(share * TENTHS_OF_ALL)
  return `${(tenths / TENTHS_OF_A_PER_CENT).toFixed(1)} %`
}
