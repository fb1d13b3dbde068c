/**
 * Carries out commands that have texts about people: each text is kept beside the log first, and
 * the event has its word (`kept-text.ts`).
 *
 *     with the texts as they are ──▶ refused? done before, when events still had texts?  → answer
 *     with words to compare      ──▶ refused? done before?                               → answer
 *     texts kept ─▶ durable ─▶ with their words, to the writer
 *
 * So a text is kept only for what is about to happen. The first look is also the one at the limits
 * of texts, which words always keep to.
 *
 * The texts of the account can be erased at any of these moments, here or by another gateway. Then
 * the words are of texts that are gone or going: the decider refuses them, and all is done again
 * with the texts kept anew, behind the erasure.
 */
import { type AccountCommand, type CommandTexts, commandTexts } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { ownerOfAccountTexts } from '@svc/contracts/kept-text'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import { decide } from '../account/decider/decide.ts'
import type { Decision } from '../account/decision.ts'
import type { AccountState } from '../account/state.ts'
import type { AccountWriters } from '../writer/account-writers.ts'
import { serviceErrorOf, storeUnavailable } from '../writer/refusals.ts'

/** Each but the last has met an erasure of the account. */
const TRIES_MAX = 8

export interface WordedCommandsPorts {
  readonly writers: Pick<AccountWriters, 'of'>
  readonly texts: Pick<TextStore, 'keep' | 'wordFor' | 'erase'>
  readonly clock: Clock
}

/** A command at the time that it is carried out. */
export type Command = (at: number) => AccountCommand

/** What is answered: without events when it had happened before. */
type ResultOf<Result> = (events: readonly AccountEvent[], state: AccountState) => Result

export class WordedCommands {
  readonly #ports: WordedCommandsPorts

  constructor(ports: WordedCommandsPorts) {
    this.#ports = ports
  }

  /** @param dryRun works out what would happen, and does not do it */
  async run<Result>(
    accountId: string,
    command: Command,
    result: ResultOf<Result>,
    dryRun = false,
  ): Promise<Result> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const outcome = await this.#attempt(accountId, command, result, dryRun)
      if (outcome !== 'texts erased') return outcome.answer
    }
    throw storeUnavailable()
  }

  async #attempt<Result>(
    accountId: string,
    command: Command,
    result: ResultOf<Result>,
    dryRun: boolean,
  ): Promise<Answered<Result> | 'texts erased'> {
    const { texts, clock } = this.#ports
    const writer = this.#ports.writers.of(accountId)
    const plain = command(clock.nowMs())
    const before = await writer.ask((state) => {
      const decision = decide(state, plain)
      const { erasures } = state
      // It may be a conflict with the words of the same texts only.
      const answered = isConflict(decision)
        ? undefined
        : repeated(accountId, decision, state, result)
      return { erasures, answered }
    })
    if (before.answered !== undefined) return before.answered
    const owner = ownerOfAccountTexts(accountId, before.erasures)
    const compared = await wordsOf(plain, (text) => texts.wordFor(owner, text))
    const now = await writer.ask((state) => {
      if (state.erasures !== before.erasures) return 'texts erased'
      const decision = decide(state, worded(plain, compared))
      const answered = repeated(accountId, decision, state, result)
      if (answered !== undefined || !dryRun || decision.kind !== 'happens') return answered
      return { answer: result(decision.events, state) }
    })
    if (now !== undefined) return now
    try {
      const words = await wordsOf(plain, (text) => texts.keep(owner, text))
      const answer = await writer.submit({ command: (at) => worded(command(at), words), result })
      return { answer }
    } catch (error) {
      const erasures = await writer.ask((state) => state.erasures).catch(() => before.erasures)
      if (erasures === before.erasures) throw error
      // The log says that they are erased, whoever does it first: nothing stays behind of these.
      await texts.erase(owner)
      return 'texts erased'
    }
  }
}

interface Answered<Result> {
  readonly answer: Result
}

function isConflict(decision: Decision): boolean {
  return decision.kind === 'refused' && decision.refusal.code === 'conflict'
}

/** @throws {ServiceError} when it is refused */
function repeated<Result>(
  accountId: string,
  decision: Decision,
  state: AccountState,
  result: ResultOf<Result>,
): Answered<Result> | undefined {
  if (decision.kind !== 'happens') throw serviceErrorOf(decision.refusal, accountId)
  return decision.events.length === 0 ? { answer: result([], state) } : undefined
}

/** @param words of the texts of that very command: only what it has is replaced */
function worded(command: AccountCommand, words: CommandTexts): AccountCommand {
  return { ...command, ...words } as AccountCommand
}

/** @throws {ServiceError} `store_unavailable` */
async function wordsOf(
  command: AccountCommand,
  wordOf: (text: string) => Promise<string>,
): Promise<CommandTexts> {
  const { metadata, ...texts } = commandTexts(command)
  try {
    const words: CommandTexts = await eachOf(texts, wordOf)
    return metadata === undefined ? words : { ...words, metadata: await eachOf(metadata, wordOf) }
  } catch (error) {
    throw error instanceof StoreUnavailableError ? storeUnavailable(error) : error
  }
}

async function eachOf(
  texts: Readonly<Record<string, string>>,
  wordOf: (text: string) => Promise<string>,
): Promise<Record<string, string>> {
  const entries: [string, string][] = []
  for (const [name, text] of Object.entries(texts)) entries.push([name, await wordOf(text)])
  return Object.fromEntries(entries)
}
