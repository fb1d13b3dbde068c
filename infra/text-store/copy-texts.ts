/** Carries the texts beside a log to another store, with the salts and ids that words name. */
import { isDeepStrictEqual } from 'node:util'
import type { MovableTexts, OwnedTexts } from '@svc/contracts/ports/movable-texts'

/** Owners that are under way together. */
const OWNERS_AT_ONCE = 16

export interface CopiedTexts {
  readonly owners: number
  readonly texts: number
}

/** The copy holds something else of an owner. */
export class TextsDifferError extends Error {
  override readonly name = 'TextsDifferError'

  constructor(owner: string) {
    super(`the texts of ${owner} are not the same in both stores`)
  }
}

/**
 * What is there already stays: a copy that was cut off is made again.
 *
 * @yields how many there are so far
 * @throws {RangeError} when the target holds other texts of an owner
 */
export async function* copyTexts(
  source: MovableTexts,
  target: MovableTexts,
): AsyncGenerator<CopiedTexts> {
  yield* eachOwner(source, async (owned) => {
    if (owned !== undefined) await target.takeOver(owned)
    return owned?.texts.length ?? 0
  })
}

/** @yields how many are the same so far @throws {TextsDifferError} */
export async function* compareTexts(
  source: MovableTexts,
  target: MovableTexts,
): AsyncGenerator<CopiedTexts> {
  yield* eachOwner(source, async (owned, owner) => {
    if (!isDeepStrictEqual(plain(owned), plain(await target.allOf(owner)))) {
      throw new TextsDifferError(owner)
    }
    return owned?.texts.length ?? 0
  })
  for await (const owner of target.owners()) {
    if ((await source.allOf(owner)) === undefined) throw new TextsDifferError(owner)
  }
}

async function* eachOwner(
  source: MovableTexts,
  work: (owned: OwnedTexts | undefined, owner: string) => Promise<number>,
): AsyncGenerator<CopiedTexts> {
  let done: CopiedTexts = { owners: 0, texts: 0 }
  const finish = async (some: readonly string[]): Promise<CopiedTexts> => {
    const counts = await Promise.all(
      some.map(async (owner) => work(await source.allOf(owner), owner)),
    )
    const texts = counts.reduce((sum, count) => sum + count, done.texts)
    return { owners: done.owners + some.length, texts }
  }
  let some: string[] = []
  for await (const owner of source.owners()) {
    some.push(owner)
    if (some.length < OWNERS_AT_ONCE) continue
    done = await finish(some)
    some = []
    yield done
  }
  yield await finish(some)
}

function plain(owned: OwnedTexts | undefined) {
  return owned && { ...owned, salt: owned.salt && Buffer.from(owned.salt).toString('hex') }
}
