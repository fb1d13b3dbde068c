/** `svc verify-evidence`: needs no server, and no trust in whoever runs one. */
import { NoteError } from '@svc/contracts/evidence/signed-note'
import {
  type EvidenceVerdict,
  type FirstBroken,
  readWitnessKey,
  verifyEvidence,
} from '@svc/contracts/evidence/verify-evidence'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_STALE, EXIT_USAGE } from '../../context/exit-codes.ts'
import type { ContextOf } from '../options.ts'
import { chunksOfFile, readKeyOption, readNoteFile } from './evidence-input.ts'

/** The line by which the given checkpoint is named in place of one of the file. */
const GIVEN_CHECKPOINT = 0

interface VerifyEvidenceOptions {
  readonly key: string
  readonly checkpoint?: string
  readonly witness: readonly string[]
}

export function verifyEvidenceCommand(contextOf: ContextOf): Command {
  return new Command('verify-evidence')
    .description('verify an evidence file, without a server: exit 1 when it is broken')
    .argument('<file>', 'as svc evidence export, or GET /v1/evidence, gives it')
    .requiredOption('--key <key>', 'the public key of the log, or a file with it')
    .option('--checkpoint <file>', 'a checkpoint from elsewhere that it has to agree with')
    .option(
      '--witness <key...>',
      'public keys of witnesses, or files with them, that must have cosigned that checkpoint',
      [],
    )
    .action((file: string, options: VerifyEvidenceOptions, command: Command) =>
      verify(contextOf(command), file, options),
    )
}

async function verify(
  context: Context,
  file: string,
  options: VerifyEvidenceOptions,
): Promise<void> {
  const key = await readKeyOption('--key', options.key)
  const checkpoint =
    options.checkpoint === undefined ? undefined : await readNoteFile(options.checkpoint)
  const witnesses = await Promise.all(options.witness.map(readWitness))
  const verdict = await verdictOn(file, { key, witnesses, checkpoint })
  if (context.json) await context.outJson('evidence-verdict/1', verdict)
  else await context.out(`${textOf(verdict)}\n`)
  if (verdict.verdict === 'ok') return
  if (verdict.verdict === 'not_covered') throw new CliError(EXIT_STALE, `${file} is not covered`)
  const isOfGiven = verdict.first_broken?.line === GIVEN_CHECKPOINT
  const what = isOfGiven ? `${file} does not fit the given checkpoint` : `${file} is broken`
  throw new CliError(EXIT_DIFFERENCE, what)
}

/** @throws {CliError} */
async function readWitness(given: string): Promise<string> {
  const key = await readKeyOption('--witness', given)
  try {
    return readWitnessKey(key).text
  } catch (error) {
    if (!(error instanceof NoteError)) throw error
    throw new CliError(EXIT_USAGE, `--witness: ${error.message}`)
  }
}

async function verdictOn(
  file: string,
  options: Parameters<typeof verifyEvidence>[1],
): Promise<EvidenceVerdict> {
  try {
    return await verifyEvidence(chunksOfFile(file), options)
  } catch (error) {
    if (!(error instanceof NoteError)) throw error
    throw new CliError(EXIT_USAGE, `--key: ${error.message}`)
  }
}

function textOf({
  verdict,
  stream,
  request,
  events,
  first_broken,
  covered_to,
  not_covered,
}: EvidenceVerdict): string {
  if (first_broken !== null) return brokenText(first_broken)
  const proven = provenText(events, covered_to)
  const whose = request === null ? stream : `${request} of ${stream}`
  if (verdict === 'ok') return `ok: ${events} events of ${whose}, ${proven}`
  return `not covered: of ${whose}, ${proven} (${not_covered})`
}

function brokenText({ line, revision, what }: FirstBroken): string {
  if (line === GIVEN_CHECKPOINT) {
    if (what !== 'checkpoint') return `broken: ${what}, by the given checkpoint`
    return 'broken: the given checkpoint is none, or no key of this file signed it (a newer file may)'
  }
  const where = revision === null ? '' : `, event ${revision}`
  return `broken: ${what} at line ${line}${where}`
}

/** The few events of one request lie between others, of which its file says nothing. */
function provenText(events: number, coveredTo: number | null): string {
  if (coveredTo === null) return 'no event is proven'
  if (coveredTo < events) return `events up to ${coveredTo} are proven`
  return `the last that is proven is event ${coveredTo} of the account`
}
