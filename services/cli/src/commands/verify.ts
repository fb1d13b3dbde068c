/** `svc verify` */
import type { KeptVerification, VerifyResult } from '@svc/contracts/admin/verification'
import { counted } from '@svc/contracts/counted'
import { Command, Option } from 'commander'
import type { Context } from '../context/context.ts'
import { CliError, EXIT_DIFFERENCE, EXIT_NOT_FOUND } from '../context/exit-codes.ts'
import { factsText } from '../output/facts.ts'
import { drawnResult, passedOverText } from '../output/progress.ts'
import type { ContextOf } from './options.ts'

interface VerifyOptions {
  readonly anchor?: string
  readonly from?: string
  readonly last?: true
}

export function verifyCommand(contextOf: ContextOf): Command {
  return new Command('verify')
    .description('check the whole event log: exit 1 when history was altered')
    .option('--anchor <head>', 'a head that an earlier verify printed: is all before it unchanged?')
    .option('--from <position>', 'go on from there: an earlier verify has read up to it')
    .addOption(
      new Option(
        '--last',
        'what the last one on a running server found; nothing is read',
      ).conflicts(['anchor', 'from']),
    )
    .action(async ({ last, ...options }: VerifyOptions, command: Command) => {
      const context = contextOf(command)
      if (last === true) return showLast(context)
      const result = await verify(context, options)
      const findings = findingsOf(result)
      await print(context, result, findings)
      if (findings.length > 0) {
        throw new CliError(EXIT_DIFFERENCE, `history was altered: ${summaryOf(result)}`)
      }
    })
}

/**
 * Shows the last verification. Its exit code is that of the verification, so that a script can ask
 * how the nightly one went.
 */
async function showLast(context: Context): Promise<void> {
  const { verification } = await context.withOperations((operations) =>
    operations.lastVerification(),
  )
  if (verification === null) {
    throw new CliError(
      EXIT_NOT_FOUND,
      'no verification was kept yet: svc verify makes one, while the server runs',
    )
  }
  if (context.json) await context.outJson('last-verification/1', verification)
  else await context.out(lastText(verification))
  if (!verification.ok) {
    throw new CliError(EXIT_DIFFERENCE, `history was altered, as of ${verification.verified_at}`)
  }
}

function lastText({ found, ...kept }: KeptVerification): string {
  const findings = Object.entries(found).filter(([, count]) => count > 0)
  return factsText([
    ['verified', `${kept.verified_at} by ${kept.verified_by}`],
    ['read', `${kept.events} events in ${kept.streams} streams, up to position ${kept.position}`],
    ...(kept.from === null ? [] : [['from', `behind position ${kept.from}`] as const]),
    ...(kept.head === null ? [] : [['head', kept.head] as const]),
    ...(kept.anchor === null ? [] : [['anchor', kept.anchor] as const]),
    ...(kept.ok && findings.length === 0 ? [['found', 'nothing'] as const] : []),
    ...findings.map(([kind, count]) => [kind.replaceAll('_', ' '), `${count}`] as const),
  ])
}

function verify(context: Context, options: VerifyOptions): Promise<VerifyResult> {
  return context.withOperations((operations) =>
    drawnResult(context, operations.verify(options), {
      shown: ({ events, position, head, passed_over: others, rate }) => [
        Number(position) / Number(head),
        `${events} events${passedOverText(others)}  ${rate} events/s`,
      ],
      interrupted: 'interrupted before the whole log was verified',
    }),
  )
}

interface Finding {
  readonly kind: string
  readonly detail: string
}

/** Lists everything that shows that the log is not what it was. */
function findingsOf({
  broken,
  unreadable,
  set_aside: setAside,
  missing_positions: missingPositions,
  contradicted,
  texts,
  anchor,
}: VerifyResult): readonly Finding[] {
  const found: Finding[] = broken.map(({ stream, revision, cause }) => {
    return { kind: 'broken', detail: `${stream}  revision ${revision}  ${cause}` }
  })
  for (const { stream, revision, cause } of unreadable) {
    found.push({ kind: 'unreadable', detail: `${stream}  revision ${revision}  ${cause}` })
  }
  for (const { stream, order } of setAside) {
    found.push({ kind: 'set aside', detail: `${stream}  ${order}` })
  }
  if (missingPositions !== '0') {
    found.push({ kind: 'removed', detail: `events at ${missingPositions} positions of the log` })
  }
  for (const { source, stream, revision } of contradicted) {
    const detail = `${stream}  revision ${revision}, as ${source} remembers it`
    found.push({ kind: 'gone or altered', detail })
  }
  for (const { stream, revision } of texts.altered) {
    found.push({ kind: 'text altered', detail: `${stream}  revision ${revision}` })
  }
  for (const { stream, revision } of texts.missing) {
    const detail = `${stream}  from revision ${revision} on, and no event says that it was erased`
    found.push({ kind: 'text gone', detail })
  }
  for (const { stream, revision } of texts.unfinished) {
    const detail = `${stream}  the erasure of revision ${revision} left texts: erase them again`
    found.push({ kind: 'text left', detail })
  }
  if (anchor === 'cut') found.push({ kind: 'cut', detail: 'the log ends before the anchor' })
  if (anchor === 'differs') {
    found.push({ kind: 'altered', detail: 'what lies before the anchor is not what it was' })
  }
  return found
}

function summaryOf(result: VerifyResult): string {
  const {
    broken,
    unreadable: { length: foreign },
    set_aside: { length: forgetful },
    streams,
    missing_positions: missingPositions,
    contradicted,
    anchor,
  } = result
  const { altered, missing, unfinished } = result.texts
  return [
    broken.length === 0 ? '' : `${broken.length} of ${streams} chains are broken`,
    foreign === 0 ? '' : `${counted(foreign, 'stream')} with events that are none of ours`,
    forgetful === 0 ? '' : `${counted(forgetful, 'stream')} told to forget events`,
    missingPositions === '0' ? '' : `${counted(Number(missingPositions), 'event')} removed`,
    contradicted.length === 0 ? '' : 'events that are remembered are gone',
    altered.length + missing.length === 0 ? '' : 'texts beside the log were altered',
    unfinished.length === 0 ? '' : 'an erasure was not finished',
    anchor === null || anchor === 'holds' ? '' : 'the anchor does not hold',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

async function print(
  context: Context,
  { type: _, ...result }: VerifyResult,
  findings: readonly Finding[],
): Promise<void> {
  const { streams, events, position, texts, anchor, head, from } = result
  if (context.json) return context.outJson('verification/2', result)
  for (const { kind, detail } of findings) {
    await context.out(`${context.alarm(kind)}  ${detail}\n`)
  }
  if (findings.length > 0) return
  const start = from === null ? '' : `behind position ${from} and `
  await context.out(
    `verified: ${counted(events, 'event')} in ${counted(streams, 'stream')}, ${start}up to position ${position}\n`,
  )
  if (texts.kept + texts.erased > 0) {
    await context.out(`texts beside the log: ${texts.kept} sound, ${texts.erased} erased\n`)
  }
  if (anchor === 'holds') await context.out('the anchor holds: nothing before it has changed\n')
  if (from !== null) {
    context.note(
      `events up to position ${from} were not read: they are held against the last checkpoint, and ` +
        'those that were written after it are taken as they stand',
    )
  }
  if (head === null) return
  await context.out(`head: ${head}\n`)
  if (anchor !== null) return
  context.note(
    'A change that was also made to the views, the snapshots and log-head.json is not seen without ' +
      'an anchor: note the head down elsewhere, for a later svc verify --anchor HEAD',
  )
}
