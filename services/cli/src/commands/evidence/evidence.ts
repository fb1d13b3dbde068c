/** `svc evidence export`, `svc evidence public-key`, `svc evidence rotate-key` */
import { open, rename, rm } from 'node:fs/promises'
import type { EvidenceKey } from '@svc/contracts/admin/evidence'
import { messageOf } from '@svc/contracts/error-message'
import { parseCheckpoint } from '@svc/contracts/evidence/checkpoint'
import { parseNote } from '@svc/contracts/evidence/signed-note'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_INTERRUPTED, EXIT_OUTPUT } from '../../context/exit-codes.ts'
import { type AccountOption, aboutAccount, type ContextOf, readAccount } from '../options.ts'
import { readNoteFile } from './evidence-input.ts'

interface ExportOptions extends AccountOption {
  readonly output?: string
  readonly since?: string
}

export function evidenceCommand(contextOf: ContextOf): Command {
  const command = new Command('evidence').description('what proves the history of an account')
  aboutAccount(command.command('export'), contextOf, exportEvidence)
    .description('the history of an account, in a form that proves itself')
    .option('-o, --output <file>', 'write it there (default: standard output)')
    .option('--since <file>', 'a checkpoint from before: show that the log went on from it')
  command
    .command('public-key')
    .description('the key that evidence is verified with: give it to customers another way')
    .action((_options, sub: Command) => {
      const context = contextOf(sub)
      return showKey(context, (operations) => operations.evidenceKey())
    })
  command
    .command('rotate-key')
    .description('sign with a new key from now on, which the old one vouches for')
    .action((_options, sub: Command) => {
      const context = contextOf(sub)
      return showKey(context, (operations) => operations.rotateEvidenceKey())
    })
  return command
}

async function showKey(
  context: Context,
  ask: (
    operations: Parameters<Parameters<Context['withOperations']>[0]>[0],
  ) => Promise<EvidenceKey>,
): Promise<void> {
  const key = await context.withOperations(ask)
  if (context.json) return context.outJson('evidence-key/1', key)
  await context.out(`${key.key}\n`)
  if (key.verified_to !== null) context.note(`signed up to event ${key.verified_to}`)
}

async function exportEvidence(
  context: Context,
  argument: string | undefined,
  { output, since, ...options }: ExportOptions,
): Promise<void> {
  const size = since === undefined ? undefined : await sizeIn(since)
  await context.withOperations(async (operations) => {
    const account_id = await readAccount(operations, argument, options)
    const pieces = operations.exportEvidence({ account_id, since: size })
    if (output === undefined) {
      for await (const { text } of pieces) await context.out(text)
    } else {
      await writeWhole(context, output, pieces)
    }
    if (context.terminal.stop.aborted) {
      throw new CliError(EXIT_INTERRUPTED, 'interrupted before all of the evidence was written')
    }
  })
}

/** Writes the file beside its name, and moves it there when it is whole. */
async function writeWhole(
  context: Context,
  path: string,
  pieces: AsyncIterable<{ readonly text: string }>,
): Promise<void> {
  const unfinished = `${path}.part`
  const file = await onDisk(path, open(unfinished, 'w'))
  try {
    // This writes all of each piece: a plain write takes a part of the last one before a full disk.
    for await (const { text } of pieces) await onDisk(path, file.appendFile(text))
    await onDisk(path, file.sync())
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await file.close()
  }
  if (context.terminal.stop.aborted) return rm(unfinished, { force: true })
  await rename(unfinished, path)
  context.note(`written to ${path}`)
}

/** @throws {CliError} when the disk is full, or the place cannot be written to */
async function onDisk<Result>(path: string, writing: Promise<Result>): Promise<Result> {
  try {
    return await writing
  } catch (error) {
    const why = messageOf(error)
    throw new CliError(EXIT_OUTPUT, `${path} cannot be written: ${why}`)
  }
}

async function sizeIn(path: string): Promise<number> {
  return parseCheckpoint(parseNote(await readNoteFile(path))).size
}
