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
 */
import type { AccountCommand, Metadata } from '@svc/contracts/commands'
import type { AccountEvent } from '@svc/contracts/events/account'
import { StoreUnavailableError } from '@svc/contracts/ports/event-store'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import { decide } from '../account/decide.ts'
import type { Decision } from '../account/decision.ts'
import type { AccountState } from '../account/state.ts'
import { serviceErrorOf, storeUnavailable } from '../writer/refusals.ts'
import type { AccountWriter } from '../writer/writer.ts'

export interface WordedCommandsPorts {
  readonly writer: (accountId: string) => AccountWriter
  readonly texts: Pick<TextStore, 'keep' | 'wordFor'>
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
    const { texts, clock } = this.#ports
    const writer = this.#ports.writer(accountId)
    const plain = command(clock.nowMs())
    const before = await writer.ask((state) => {
      const decision = decide(state, plain)
      // It may be a conflict with the words of the same texts only.
      return isConflict(decision) ? undefined : repeated(decision, state, result)
    })
    if (before !== undefined) return before.answer
    const compared = await this.#wordsOf(plain, (text) => texts.wordFor(accountId, text))
    const now = await writer.ask((state) => {
      const decision = decide(state, worded(plain, compared))
      const answered = repeated(decision, state, result)
      if (answered !== undefined || !dryRun || decision.kind !== 'happens') return answered
      return { answer: result(decision.events, state) }
    })
    if (now !== undefined) return now.answer
    const words = await this.#wordsOf(plain, (text) => texts.keep(accountId, text))
    return writer.submit({ command: (at) => worded(command(at), words), result })
  }

  async #wordsOf(
    command: AccountCommand,
    wordOf: (text: string) => Promise<string>,
  ): Promise<Words> {
    try {
      return await wordsOf(command, wordOf)
    } catch (error) {
      throw error instanceof StoreUnavailableError ? storeUnavailable(error) : error
    }
  }
}

function isConflict(decision: Decision): boolean {
  return decision.kind === 'refused' && decision.refusal.code === 'conflict'
}

/** @throws {ServiceError} when it is refused */
function repeated<Result>(
  decision: Decision,
  state: AccountState,
  result: ResultOf<Result>,
): { readonly answer: Result } | undefined {
  if (decision.kind !== 'happens') throw serviceErrorOf(decision.refusal)
  return decision.events.length === 0 ? { answer: result([], state) } : undefined
}

/** The fields of a command that are texts about people. */
interface Words {
  name?: string
  reason?: string
  reference?: string
  metadata?: Metadata
}

/** @param words of the texts of that very command: only what it has is replaced */
function worded(command: AccountCommand, words: Words): AccountCommand {
  return { ...command, ...words } as AccountCommand
}

async function wordsOf(
  command: AccountCommand,
  wordOf: (text: string) => Promise<string>,
): Promise<Words> {
  const words: Words = {}
  if ('name' in command) words.name = await wordOf(command.name)
  if ('reason' in command) words.reason = await wordOf(command.reason)
  if ('reference' in command && command.reference !== null) {
    words.reference = await wordOf(command.reference)
  }
  if ('metadata' in command) words.metadata = await wordsOfMetadata(command.metadata, wordOf)
  return words
}

async function wordsOfMetadata(
  metadata: Metadata,
  wordOf: (text: string) => Promise<string>,
): Promise<Metadata> {
  const entries: [string, string][] = []
  for (const [name, value] of Object.entries(metadata)) entries.push([name, await wordOf(value)])
  return Object.fromEntries(entries)
}
