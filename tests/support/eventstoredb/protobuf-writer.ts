/**
 * Writes the fields of a protobuf message. Answers are written field by field, and not with the
 * generated classes, because the double has to answer faster than its one client asks: an event is
 * encoded once, when it is committed, and every read sends those same bytes.
 */

/** A message's fields, one after the other, as they go over the wire. */
export type Fields = Buffer

const VARINT = 0
const LENGTH_DELIMITED = 2
const WIRE_TYPE_BITS = 3
const VARINT_BYTE_MAX = 0x7f
const VARINT_CONTINUES = 0x80

export const EMPTY: Fields = Buffer.alloc(0)

/** An unsigned integer. A `bigint` is for what does not fit a safe integer. */
export function uint(field: number, value: number | bigint): Fields {
  const bytes: number[] = []
  pushVarint(bytes, field * 2 ** WIRE_TYPE_BITS + VARINT)
  pushVarint(bytes, value)
  return Buffer.from(bytes)
}

export function bytes(field: number, value: Uint8Array): Fields {
  const head: number[] = []
  pushVarint(head, field * 2 ** WIRE_TYPE_BITS + LENGTH_DELIMITED)
  pushVarint(head, value.length)
  return Buffer.concat([Buffer.from(head), value])
}

export function text(field: number, value: string): Fields {
  return bytes(field, Buffer.from(value, 'utf8'))
}

/** A message within a message. */
export function message(field: number, ...fields: readonly Fields[]): Fields {
  return bytes(field, fields.length === 1 ? (fields[0] ?? EMPTY) : Buffer.concat(fields))
}

function pushVarint(target: number[], value: number | bigint): void {
  if (typeof value === 'bigint' && value > Number.MAX_SAFE_INTEGER) {
    pushBigVarint(target, value)
    return
  }
  let rest = Number(value)
  while (rest > VARINT_BYTE_MAX) {
    target.push((rest % VARINT_CONTINUES) + VARINT_CONTINUES)
    rest = Math.floor(rest / VARINT_CONTINUES)
  }
  target.push(rest)
}

function pushBigVarint(target: number[], value: bigint): void {
  let rest = BigInt.asUintN(64, value)
  while (rest > VARINT_BYTE_MAX) {
    target.push(Number(rest % 128n) + VARINT_CONTINUES)
    rest /= 128n
  }
  target.push(Number(rest))
}
