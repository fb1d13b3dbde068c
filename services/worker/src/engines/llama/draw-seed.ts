/**
 * The seed of one draw, from the seed of its answer and its place there. Draws that do not depend
 * on those before them let an answer go on in another sequence exactly as it would have gone on.
 */

/** llama.cpp takes this seed for "any". */
const NO_SEED = 2 ** 32 - 1
/** An odd constant far from powers of two (the golden ratio): neighbours become unlike. */
const PLACE_STEP = 0x9e3779b9

/**
 * @param seed of the answer, 0 … 2³² − 1
 * @param place how many tokens the answer has
 * @returns 0 … 2³² − 2
 */
export function drawSeed(seed: number, place: number): number {
  const mixed = mix(mix(seed) ^ Math.imul(place + 1, PLACE_STEP))
  return mixed === NO_SEED ? 0 : mixed
}

/** MurmurHash3's last step: each bit of the number changes about half of the bits of the result. */
function mix(number: number): number {
  let mixed = number >>> 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
