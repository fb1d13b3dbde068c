/** Gives the evidence that proves the history of the accounts to whoever does not trust us. */
import type { EvidenceKey } from '@svc/contracts/admin/evidence'
import { accountEvidence, type EvidenceSources } from '@svc/projections/evidence-export'

/** The length of one line of the answer, before JSON doubles what it escapes. */
const PIECE_CHARACTERS = 256 * 1024

export async function* evidenceLines(
  evidence: EvidenceSources,
  accountId: string,
  since: number | undefined,
): AsyncGenerator<{ readonly text: string }> {
  const asked = { since: since === undefined ? undefined : [since] }
  for await (const text of accountEvidence(evidence, accountId, asked)) {
    for (const piece of piecesOf(text)) yield { text: piece }
  }
}

export async function evidenceKey({ checkpoints }: EvidenceSources): Promise<EvidenceKey> {
  const latest = await checkpoints.latest()
  const { key, rotations } = checkpoints
  const checkpoint = latest?.note ?? null
  return { key, rotations, checkpoint, verified_to: latest?.size ?? null }
}

/** Whole lines, as many as fit. */
function* piecesOf(text: string): Generator<string> {
  let piece = ''
  for (const line of text.split(/(?<=\n)/)) {
    if (piece !== '' && piece.length + line.length > PIECE_CHARACTERS) {
      yield piece
      piece = ''
    }
    piece += line
  }
  if (piece !== '') yield piece
}
