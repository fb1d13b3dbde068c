/** What evidence is made of, over the views of a test, signed with a key of the test. */
import { readSignerKey, type SignerKey, signerKeyText } from '@svc/contracts/evidence/signed-note'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { SharedPace } from '@svc/infra/system/shared-pace'
import { systemClock } from '@svc/infra/system/system-clock'
import { Checkpointer } from '@svc/projections/checkpointer'
import type { EvidenceSources } from '@svc/projections/evidence-export'
import type { Projections } from '@svc/projections/open-projections'

const TREE_WAIT_MS = 5_000

const testSigner: SignerKey = readSignerKey(signerKeyText('svc/test', Buffer.alloc(32, 7)))
export const TEST_KEY = testSigner.verifier.text

export function evidenceOn(
  store: EventStore,
  views: EvidenceSources['views'],
  reached: Projections['reached'],
): EvidenceSources {
  const checkpoints = new Checkpointer({
    store,
    views,
    reached: (position) => reached(position, TREE_WAIT_MS, 'evidence'),
    clock: systemClock,
    keys: { signer: testSigner, rotations: [], first: TEST_KEY },
    rotated: (keys) => keys,
    last: undefined,
  })
  return { store, views, checkpoints, pace: new SharedPace() }
}
