/**
 * `svc witness`: another party that remembers what the log has signed, and cosigns only what goes
 * on from it. It needs nothing but the public key and the address of the log, and a folder.
 *
 *     checkpoint of the log ─▶ signed with the key? ─▶ goes on from the one remembered? ─▶ cosigned
 *
 * What it has cosigned lies in the file `checkpoint` of its folder: a customer who compares with it
 * finds a tail that was cut off, a past that was rewritten, and a log of which others see another.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '@svc/contracts/error-message'
import {
  type Checkpoint,
  openCheckpoint,
  parseCheckpoint,
} from '@svc/contracts/evidence/checkpoint'
import { isConsistent } from '@svc/contracts/evidence/merkle-tree'
import {
  cosignNote,
  isSignedBy,
  NoteError,
  parseNote,
  readLogKey,
  readSignerKey,
  type SignerKey,
  signerKeyText,
} from '@svc/contracts/evidence/signed-note'
import { pause } from '@svc/contracts/ports/time'
import { consistencyAnswer } from '@svc/contracts/wire/evidence'
import { makeFolder } from '@svc/infra/made-folder'
import { bytesWithin } from '@svc/infra/system/bounded-bytes'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import {
  CliError,
  EXIT_DIFFERENCE,
  EXIT_UNREACHABLE,
  EXIT_USAGE,
} from '../../context/exit-codes.ts'
import type { ContextOf } from '../options.ts'
import { readKeyOption } from './evidence-input.ts'

const LOOK_EVERY_MS = 60_000
const ANSWER_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 64 * 1024
const SEED_BYTES = 32
const SECOND_MS = 1_000
const OWNER_ONLY_FILE = 0o600

interface WitnessOptions {
  readonly log: string
  readonly key: string
  readonly folder: string
  readonly name: string
  readonly once?: true
}

export function witnessCommand(contextOf: ContextOf): Command {
  return new Command('witness')
    .description('cosign the checkpoints of a log as long as each goes on from the one before')
    .requiredOption('--log <url>', 'the server whose log it is, such as https://svc.example')
    .requiredOption('--key <key>', 'the public key of the log, or a file with it')
    .requiredOption(
      '--folder <dir>',
      'where the witness keeps its own key and what it has cosigned',
    )
    .option('--name <name>', 'how a new witness is called, without spaces', 'witness')
    .option('--once', 'look once, instead of every minute')
    .action((options: WitnessOptions, command: Command) => watch(contextOf(command), options))
}

async function watch(context: Context, options: WitnessOptions): Promise<void> {
  if (!URL.canParse(options.log)) throw new CliError(EXIT_USAGE, `--log: ${options.log} is no URL`)
  const witness = new Witness(options, await readKeyOption('--key', options.key))
  const { stop } = context.terminal
  context.terminal.catchInterrupt()
  context.note(`the key of this witness: ${witness.key}`)
  if (options.once === true) return look(context, witness, options)
  const endWatch = context.terminal.watchReader()
  try {
    while (!stop.aborted) {
      await look(context, witness, options)
      await pause(systemTimer, LOOK_EVERY_MS, stop)
    }
  } finally {
    endWatch()
  }
}

async function look(context: Context, witness: Witness, { once }: WitnessOptions): Promise<void> {
  try {
    const { note, checkpoint } = await witness.look()
    const { size, time } = checkpoint
    if (!context.json) return await context.out(`cosigned: ${size} events, signed at ${time}\n`)
    await context.outJson('witnessed/1', { size, time, witness: witness.key, checkpoint: note })
  } catch (error) {
    // A log that is away for a while has not contradicted itself.
    const isAway = error instanceof CliError && error.exitCode === EXIT_UNREACHABLE
    if (!isAway || once === true) throw error
    context.note(`${error.message}, looking again in a minute`)
  }
}

class Witness {
  readonly #log: URL
  readonly #logKey: ReturnType<typeof readLogKey>
  readonly #signer: SignerKey
  readonly #file: string

  constructor({ log, folder, name }: WitnessOptions, logKey: string) {
    this.#log = new URL(log)
    this.#logKey = noteOr(misused('--key'), () => readLogKey(logKey))
    makeOwnFolder(folder)
    const readOwnKey = () => readSignerKey(keptKey(join(folder, 'key'), name))
    this.#signer = noteOr(misused('--name'), readOwnKey)
    this.#file = join(folder, 'checkpoint')
  }

  get key(): string {
    return this.#signer.verifier.text
  }

  /** @throws {CliError} when the log does not go on from what was cosigned before */
  async look(): Promise<{ note: string; checkpoint: Checkpoint }> {
    const before = this.#remembered()
    const shown = await this.#ask('/evidence/checkpoint')
    const checkpoint = noteOr(refused, () => openCheckpoint(shown, [this.#logKey]))
    if (before !== undefined) await this.#compare(before, checkpoint)
    const seconds = Math.floor(systemClock.nowMs() / SECOND_MS)
    const { text } = parseNote(shown)
    const note = shown + cosignNote(text, seconds, this.#signer)
    const unfinished = `${this.#file}.new`
    writeFileSync(unfinished, note, { flush: true })
    renameSync(unfinished, this.#file)
    return { note, checkpoint }
  }

  /** Checks the note by its own signature: the log may have gone over to another key since. */
  #remembered(): Checkpoint | undefined {
    if (!existsSync(this.#file)) return undefined
    const note = parseNote(readFileSync(this.#file, 'utf8'))
    if (isSignedBy(note, this.#signer.verifier)) return parseCheckpoint(note)
    throw refused(`${this.#file} is not what this witness has signed`)
  }

  async #compare(before: Checkpoint, now: Checkpoint): Promise<void> {
    if (now.size < before.size) {
      throw refused(`the log had ${before.size} events and has ${now.size}: its end was cut off`)
    }
    const proof = now.size === before.size ? [] : await this.#proofOf(before.size, now.size)
    const [first, second] = [before.size, now.size]
    if (!isConsistent({ first, second, firstRoot: before.root, secondRoot: now.root, proof })) {
      throw refused(`the first ${first} events are not what they were: the past was rewritten`)
    }
  }

  async #proofOf(from: number, to: number): Promise<readonly Buffer[]> {
    const text = await this.#ask(`/evidence/consistency?from=${from}&to=${to}`)
    try {
      const { hashes } = consistencyAnswer.parse(JSON.parse(text))
      return hashes.map((hash) => Buffer.from(hash, 'hex'))
    } catch {
      throw refused('the log shows no proof that it goes on from what was cosigned')
    }
  }

  async #ask(path: string): Promise<string> {
    const url = new URL(this.#log.pathname.replace(/\/$/, '') + path, this.#log)
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
      if (!answer.ok) throw unusable(`${url.href} answers ${answer.status}`)
      const bytes = await bytesWithin(ANSWER_BYTES_MAX, answer.body ?? [])
      if (bytes !== undefined) return bytes.toString('utf8')
      throw unusable(`${url.href} answers more than ${ANSWER_BYTES_MAX} bytes`)
    } catch (error) {
      if (error instanceof CliError) throw error
      throw unusable(`cannot reach the log at ${url.origin}`)
    }
  }
}

function makeOwnFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw misused('--folder')(messageOf(error))
  }
}

function keptKey(file: string, name: string): string {
  if (!existsSync(file)) {
    const key = signerKeyText(name, randomBytes(SEED_BYTES), 'cosignature')
    writeFileSync(file, `${key}\n`, { mode: OWNER_ONLY_FILE, flag: 'wx', flush: true })
  }
  return readFileSync(file, 'utf8')
}

function noteOr<Result>(problem: (why: string) => CliError, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof NoteError ? problem(error.message) : error
  }
}

function misused(option: string) {
  return (why: string) => new CliError(EXIT_USAGE, `${option}: ${why}`)
}

function unusable(why: string): CliError {
  return new CliError(EXIT_UNREACHABLE, why)
}

function refused(why: string): CliError {
  return new CliError(EXIT_DIFFERENCE, `not cosigned: ${why}`)
}
