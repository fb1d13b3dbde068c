/** What is kept of a verification: who had it made and what came out, as an event of the log. */
import type { Caller } from '@svc/contracts/admin/caller'
import type {
  KeptVerification,
  VerifyProgress,
  VerifyResult,
} from '@svc/contracts/admin/verification'
import type { ServiceStatus } from '@svc/contracts/admin/workers'
import { ServiceError } from '@svc/contracts/errors'
import type { AuditTrail } from '../../access/audit-trail.ts'
import { timeText } from '../values/rfc3339-times.ts'
import type { VerifyFound } from './verify-lines.ts'

interface Ports {
  readonly auditTrail: AuditTrail
  readonly information: Pick<ServiceStatus, 'mode'>
}

/** The lines of a verification, its result once it is kept, or cannot be. */
export async function* withKept(
  ports: Ports,
  caller: Caller,
  lines: AsyncIterable<VerifyProgress | VerifyFound>,
): AsyncGenerator<VerifyProgress | VerifyResult> {
  for await (const line of lines) {
    if (line.type === 'progress') yield line
    else yield { ...line, kept: await isKept(ports, caller, line) }
  }
}

/**
 * A folder of a stopped server stays as it was: it may be a backup, which is compared with another.
 * Whatever is wrong with the log, what was found of it is told.
 */
async function isKept(
  { auditTrail, information }: Ports,
  caller: Caller,
  result: VerifyFound,
): Promise<boolean> {
  if (information.mode === 'stopped') return false
  const { position, from, streams, events, head, anchor, texts } = result
  try {
    await auditTrail.noteVerification(caller, {
      position,
      from,
      streams,
      events,
      head,
      anchor,
      found: {
        broken: result.broken.length,
        unreadable: result.unreadable.length,
        setAside: result.set_aside.length,
        missingPositions: Number(result.missing_positions),
        contradicted: result.contradicted.length,
        textsAltered: texts.altered.length,
        textsMissing: texts.missing.length,
        textsUnfinished: texts.unfinished.length,
      },
    })
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

export async function lastVerification({
  auditTrail,
}: {
  readonly auditTrail: Pick<AuditTrail, 'lastVerification'>
}): Promise<KeptVerification | null> {
  const last = await auditTrail.lastVerification()
  if (last === undefined) return null
  const { at, actor, from, position, streams, events, head, anchor, found } = last
  const isAnchored = anchor === null || anchor === 'holds'
  return {
    verified_at: timeText(at),
    verified_by: actor,
    from,
    position,
    streams,
    events,
    head,
    anchor,
    ok: isAnchored && Object.values(found).every((count) => count === 0),
    found: {
      broken: found.broken,
      unreadable: found.unreadable,
      set_aside: found.setAside,
      missing_positions: found.missingPositions,
      contradicted: found.contradicted,
      texts_altered: found.textsAltered,
      texts_missing: found.textsMissing,
      texts_unfinished: found.textsUnfinished,
    },
  }
}
