/**
 * Erases again what the log says is erased and the store of texts has all the same: a file of texts
 * from before the erasure was put back.
 */
import type { TextStore } from '@svc/contracts/ports/text-store'
import { ownersUpTo } from './text-erasures.ts'

export interface ReturnedTextsPorts {
  readonly texts: Pick<TextStore, 'count' | 'erase'>
  /** Lists whose texts were erased, and how often, by subject; an empty page is the last. */
  readonly erasures: (
    after: string,
  ) => Promise<readonly { readonly subject: string; readonly erasures: number }[]>
}

/** @returns how many texts had come back */
export async function eraseReturnedTexts({ texts, erasures }: ReturnedTextsPorts): Promise<number> {
  let erased = 0
  for (let page = await erasures(''); page.length > 0; ) {
    const returned: string[] = []
    for (const { subject, erasures: count } of page) {
      for (const owner of ownersUpTo(subject, count - 1)) {
        if ((await texts.count(owner)) > 0) returned.push(owner)
      }
    }
    // The file is written anew for each call, and for none that finds nothing.
    if (returned.length > 0) erased += await texts.erase(...returned)
    page = await erasures(page.at(-1)?.subject ?? '')
  }
  return erased
}
