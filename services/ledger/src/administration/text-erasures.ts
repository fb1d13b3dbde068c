/**
 * Erases what people wrote about an account. The log says it first: a process that dies in between
 * leaves a note of what it has begun, and the next start finishes that. The note stays until what
 * is kept elsewhere of the account has gone too.
 */
import { ownerOfAccountTexts } from '@svc/contracts/kept-text'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { AccountState } from '../account/state.ts'
import type { AccountWriters } from '../writer/account-writers.ts'
import { refuseUnopened } from '../writer/refusals.ts'
import type { Administration, Forget } from './administration.ts'
import type { ErasureNotes } from './erasure-notes.ts'
import type { Command } from './worded-commands.ts'

interface TextErasuresPorts {
  readonly writers: Pick<AccountWriters, 'of'>
  readonly texts: TextStore
  readonly erasures: ErasureNotes
}

type AskedErasure = Omit<Parameters<Administration['erase']>[1], 'idempotencyKey'> & {
  readonly changeId: string
}

const nothingElse: Forget = async () => {}

export class TextErasures {
  readonly #ports: TextErasuresPorts

  constructor(ports: TextErasuresPorts) {
    this.#ports = ports
  }

  /** @returns how many texts were erased, or would be */
  async erase(
    accountId: string,
    { changeId, reason, actor, dryRun = false, forget = nothingElse }: AskedErasure,
  ): Promise<{ readonly texts: number }> {
    const { texts, writers, erasures } = this.#ports
    const before = await writers.of(accountId).ask((state) => {
      refuseUnopened(state, accountId)
      return { erasures: state.erasures, isDone: state.changes.has(changeId) }
    })
    if (dryRun) {
      let count = 0
      for (const owner of ownersUpTo(accountId, before.erasures)) count += await texts.count(owner)
      return { texts: count }
    }
    const erasure = { accountId, changeId }
    erasures.add(erasure)
    let erased = before.erasures
    if (!before.isDone) {
      // The reason is kept under an owner of its own, so that it is not erased with the texts that
      // it is about.
      const word = await texts.keep(changeId, reason)
      const command: Command = (at) => ({ type: 'EraseTexts', changeId, reason: word, actor, at })
      const result = (_: unknown, state: AccountState) => state.erasures
      erased = await writers.of(accountId).submit({ command, result })
    }
    // Should it fail here, the note stays: the next start finishes it, and takes no later text.
    const count = await texts.erase(...ownersUpTo(accountId, erased - 1))
    await forget(accountId)
    erasures.remove(erasure)
    return { texts: count }
  }

  /** @returns how many erasures of earlier processes were finished */
  async finish(forget: Forget = nothingElse): Promise<number> {
    const { texts, writers, erasures } = this.#ports
    let finished = 0
    for (const erasure of erasures.list()) {
      const { accountId } = erasure
      // What the log says of the account, whatever became of this one: it may never have got there.
      const erased = await writers.of(accountId).ask((state) => state.erasures)
      if (erased > 0) {
        const count = await texts.erase(...ownersUpTo(accountId, erased - 1))
        await forget(accountId)
        finished += count > 0 ? 1 : 0
      }
      erasures.remove(erasure)
    }
    return finished
  }
}

/** The owners of the texts that were kept before an erasure, the newest last. */
export function ownersUpTo(accountId: string, erasures: number): readonly string[] {
  return Array.from({ length: erasures + 1 }, (_, before) => ownerOfAccountTexts(accountId, before))
}
