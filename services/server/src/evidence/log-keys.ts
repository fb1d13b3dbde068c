/**
 * The key that the log signs its checkpoints with. It is made when a folder is first opened, and
 * kept there with the other secrets; gateways that share a log share the key by `SVC_EVIDENCE_KEY`.
 *
 *     no key, no checkpoint ─▶ a new log: a key with a new name
 *     no key, a checkpoint  ─▶ the key was lost: a new epoch, and its name says so
 */
import { randomBytes } from 'node:crypto'
import { ServiceError } from '@svc/contracts/errors'
import { parseCheckpoint } from '@svc/contracts/evidence/checkpoint'
import { rotationNote } from '@svc/contracts/evidence/key-rotation'
import {
  NoteError,
  parseNote,
  readSignerKey,
  signerKeyText,
} from '@svc/contracts/evidence/signed-note'
import type { LogKeys } from '@svc/projections/checkpointer'
import type { Logger } from 'pino'
import type { DataFolder } from '../data-folder/data-folder.ts'

const NAME_BYTES = 8
const SEED_BYTES = 32

export interface LogKeysPorts {
  readonly folder: Pick<DataFolder, 'readEvidenceKey' | 'writeEvidenceKey' | 'readCheckpoint'>
  readonly logger: Pick<Logger, 'warn'>
  /** Instead of the key of the folder. */
  readonly given: string | undefined
}

export function openLogKeys({ folder, logger, given }: LogKeysPorts): LogKeys {
  if (given !== undefined) {
    const signer = readSignerKey(given)
    return { signer, rotations: [], first: signer.verifier.text }
  }
  const kept = folder.readEvidenceKey()
  if (kept !== undefined) {
    return { signer: readSignerKey(kept.signer), rotations: kept.rotations, first: kept.first }
  }
  const lost = originOf(folder.readCheckpoint())
  const name =
    lost === undefined ? `svc/${randomBytes(NAME_BYTES).toString('hex')}` : nextEpoch(lost)
  if (lost !== undefined) {
    logger.warn({ lost, name }, 'the key of the evidence is gone, a new epoch begins')
  }
  const signer = readSignerKey(signerKeyText(name, randomBytes(SEED_BYTES)))
  const keys = { signer, rotations: [], first: signer.verifier.text }
  folder.writeEvidenceKey({ ...keys, signer: textOf(keys) })
  return keys
}

/** A new key under the same name, which the old one vouches for. It is kept before it is used. */
export function rotatedKeys({
  folder,
  given,
}: Omit<LogKeysPorts, 'logger'>): (keys: LogKeys, seconds: number) => LogKeys {
  return (keys, seconds) => {
    if (given !== undefined) {
      throw new ServiceError('conflict', 'The key is set by SVC_EVIDENCE_KEY: change it there.')
    }
    const seed = randomBytes(SEED_BYTES)
    const signer = readSignerKey(signerKeyText(keys.signer.verifier.name, seed))
    const rotations = [...keys.rotations, rotationNote(keys.signer, signer, seconds)]
    const rotated = { signer, rotations, first: keys.first }
    folder.writeEvidenceKey({ ...rotated, signer: textOf(rotated) })
    return rotated
  }
}

function textOf({ signer }: LogKeys): string {
  const der = signer.privateKey.export({ format: 'der', type: 'pkcs8' })
  return signerKeyText(signer.verifier.name, der.subarray(-SEED_BYTES))
}

/** The origin that a checkpoint names, which no key is left to verify. */
function originOf(note: string | undefined): string | undefined {
  if (note === undefined) return undefined
  try {
    return parseCheckpoint(parseNote(note)).origin
  } catch (error) {
    if (error instanceof NoteError) return undefined
    throw error
  }
}

function nextEpoch(origin: string): string {
  const [, base = origin, epoch = '1'] = /^(.*)\/epoch-(\d{1,6})$/.exec(origin) ?? []
  return `${base}/epoch-${Number(epoch) + 1}`
}
