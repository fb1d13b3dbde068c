/** Reads what somebody else sends, however long it is, without keeping more than a bound. */

/** @returns all of it; undefined for what is longer than the bound, of which no more is read */
export async function bytesWithin(
  bytesMax: number,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    read.push(chunk)
  }
  return Buffer.concat(read)
}
