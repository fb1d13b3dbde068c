/** Texts about people that are no account's. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { isId } from '@svc/contracts/ids'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Ledger } from '@svc/ledger/ledger'
import type { AdminTokens } from '../../access/admin-tokens.ts'
import type { AuditTrail } from '../../access/audit-trail.ts'
import { type Backups, refuseDuringBackup } from '../log/backups.ts'
import { noSuch } from '../values/input-values.ts'

export interface TextPorts {
  readonly ledger: Pick<Ledger, 'pricing'>
  readonly texts: Pick<TextStore, 'count'>
  readonly adminTokens: Pick<AdminTokens, 'list'>
  readonly auditTrail: Pick<AuditTrail, 'erase'>
  readonly backups?: Pick<Backups, 'isWriting'>
}

/** Whether nothing is written about a subject any more; undefined when there is none. */
type IsOver = (ports: TextPorts, subject: string) => Promise<boolean | undefined>

const token: IsOver = async ({ adminTokens }, tokenId) => {
  const found = (await adminTokens.list()).find((each) => each.tokenId === tokenId)
  return found && found.revokedAt !== null
}

const price: IsOver = async ({ ledger }, version) => {
  await ledger.pricing.lookAgain()
  const found = ledger.pricing.published().find((each) => each.version === version)
  return found && found.withdrawnAt !== null
}

const run: IsOver = async ({ ledger }, runId) => {
  await ledger.pricing.lookAgain()
  return ledger.pricing.isRun(runId) ? true : undefined
}

/** Why something was erased: the only texts that a change has to itself. Nothing follows them. */
const erasure: IsOver = async () => true

const subjects = [
  { kind: 'tok', isOver: token, until: 'revoke the token first' },
  { kind: 'price', isOver: price, until: 'a price has texts only once it is withdrawn' },
  { kind: 'run', isOver: run, until: '' },
  { kind: 'chg', isOver: erasure, until: '' },
] as const

/** Who has texts that go with other operations. */
const elsewhere = [
  { kind: 'acct', advice: 'svc account erase erases its texts.' },
  { kind: 'usr', advice: 'svc user erase erases its texts.' },
] as const

export function textOperations(
  ports: TextPorts,
  caller: Caller,
): Pick<OperationHandlers, 'eraseSubjectTexts'> {
  const { texts, auditTrail } = ports
  return {
    async eraseSubjectTexts({ subject, reason, dry_run: dryRun }) {
      await requireOver(ports, subject)
      if (!dryRun) refuseDuringBackup(ports.backups)
      const count = await texts.count(subject)
      if (!dryRun && count > 0) await auditTrail.erase(caller, subject, reason)
      return { subject, texts: count, dry_run: dryRun }
    },
  }
}

/** @throws {ServiceError} `not_found`, `conflict` */
async function requireOver(ports: TextPorts, subject: string): Promise<void> {
  const known = subjects.find(({ kind }) => isId(kind, subject))
  const isOver = await known?.isOver(ports, subject)
  if (known === undefined || isOver === undefined) {
    const advice = elsewhere.find(({ kind }) => isId(kind, subject))?.advice
    throw noSuch('subject', 'admin token, price, correction run or erasure', subject, advice)
  }
  if (isOver) return
  throw new ServiceError('conflict', `More can be written about ${subject}: ${known.until}.`)
}
