/** What evidence is made of, over the views of a test, signed with a key of the test. */
import { readSignerKey, type SignerKey, signerKeyText } from '@svc/contracts/evidence/signed-note'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { systemClock } from '@svc/infra/system/system-clock'
import { Checkpointer } from '@svc/projections/checkpointer'
import type { EvidenceSources } from '@svc/projections/evidence-export'

const testSigner: SignerKey = readSignerKey(signerKeyText('svc/test', Buffer.alloc(32, 7)))
export const TEST_KEY = testSigner.verifier.text

export function evidenceOn(
  store: Pick<EventStore, 'readStream'>,
  views: EvidenceSources['views'],
  last?: string,
): EvidenceSources {
  const checkpoints = new Checkpointer({
    views,
    clock: systemClock,
    keys: { signer: testSigner, rotations: [], first: TEST_KEY },
    rotated: (keys) => keys,
    last,
  })
  return { store, views, checkpoints, pace: new SharedPace() }
}
