/**
 * A log on paper: events, their tree, and evidence files over them, made with nothing but the
 * formats. A dishonest operator can do all of this, with the true key.
 */

import { createHash } from 'node:crypto'
import { checkpointText } from '@svc/contracts/evidence/checkpoint'
import type { EvidenceHeader } from '@svc/contracts/evidence/evidence-file'
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  type NodeOf,
  nodeHash,
  rootOf,
} from '@svc/contracts/evidence/merkle-tree'
import { type SignerKey, signNote } from '@svc/contracts/evidence/signed-note'
import { NO_STREAM } from '@svc/contracts/ports/event-store'
import { linkText, type SealedEvent } from '@svc/contracts/ports/hash-chain'

export type PaperLog = readonly SealedEvent[]

/** The same events with what was changed in them, and every hash made anew. */
export function resealed(events: readonly SealedEvent[]): SealedEvent[] {
  const heads = new Map<string, { revision: number; hash: string }>()
  return events.map((event) => {
    const head = heads.get(event.stream) ?? NO_STREAM
    const next = { ...event, revision: head.revision + 1 }
    const hash = sha256(linkText(head.hash, next))
    heads.set(event.stream, { revision: next.revision, hash })
    return { ...next, hash }
  })
}

export function checkpointOf(log: PaperLog, signer: SignerKey, time: number): string {
  const root = Buffer.from(rootOf(log.length, nodesOver(log)))
  const origin = signer.verifier.name
  return signNote(checkpointText({ origin, size: log.length, root, time }), signer)
}

export interface FileOptions {
  readonly stream: string
  readonly checkpoint: string
  /** Sizes of earlier checkpoints. */
  readonly since?: readonly number[]
  /** The events of the account; default: all of the log. */
  readonly own?: PaperLog
}

/** The evidence file of one account, with the proof of its last event. */
export function fileOf(
  log: PaperLog,
  {
    stream,
    checkpoint,
    since = [],
    own = log.filter((event) => event.stream === stream),
  }: FileOptions,
): string {
  const leaf = log.findLastIndex((event) => event.stream === stream)
  const nodes = nodesOver(log)
  const header: EvidenceHeader = {
    svc_evidence: 1,
    stream,
    request: null,
    events: own.length,
    checkpoint,
    proofs: [
      { event: own.length, leaf, hashes: inclusionProof(leaf, log.length, nodes).map(hexOf) },
    ],
    consistency: since.map((size) => ({
      size,
      root: hexOf(rootOf(size, nodes)),
      hashes: proofBetween(log, size, log.length),
    })),
    rotations: [],
  }
  return [JSON.stringify(header), ...linesOf(own), ''].join('\n')
}

export interface RequestFileOptions extends Pick<FileOptions, 'stream' | 'checkpoint'> {
  /** What the file is said to be of. */
  readonly named: string
  readonly requestId: string
}

/** The evidence file of one request, each of whose events has its proof. */
export function requestFileOf(log: PaperLog, options: RequestFileOptions): string {
  const { stream, checkpoint, named, requestId } = options
  const lines = linesOf(log.filter((event) => event.stream === stream))
  const nodes = nodesOver(log)
  const leaves = [...log.keys()].filter((leaf) => log[leaf]?.data.includes(requestId))
  const header: EvidenceHeader = {
    svc_evidence: 1,
    stream,
    request: named,
    events: leaves.length,
    checkpoint,
    proofs: leaves.map((leaf, index) => {
      const hashes = inclusionProof(leaf, log.length, nodes).map(hexOf)
      return { event: index + 1, leaf, hashes }
    }),
    consistency: [],
    rotations: [],
  }
  const own = leaves.map((leaf) => lines[log[leaf]?.revision ?? 0])
  return [JSON.stringify(header), ...own, ''].join('\n')
}

/** In hex. */
export function proofBetween(log: PaperLog, from: number, to: number): string[] {
  return consistencyProof(from, to, nodesOver(log)).map(hexOf)
}

export function linesOf(own: readonly SealedEvent[]): readonly string[] {
  return own.map((event, index) => linkText(own[index - 1]?.hash ?? NO_STREAM.hash, event))
}

function nodesOver(log: PaperLog): NodeOf {
  const leaves = log.map(({ hash }) => leafHash(Buffer.from(hash, 'hex')))
  const known = new Map<string, Uint8Array>()
  const nodeOf: NodeOf = (level, index) => {
    if (level === 0) return leaves[index] ?? Buffer.alloc(0)
    const name = `${level} ${index}`
    const node =
      known.get(name) ?? nodeHash(nodeOf(level - 1, 2 * index), nodeOf(level - 1, 2 * index + 1))
    known.set(name, node)
    return node
  }
  return nodeOf
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
