/** What is left of a verification when its lines are gone. */
import { type Caller, rootCaller } from '@svc/contracts/admin/caller'
import { openRunningService } from '@svc/testing/running-service'
import { verified } from '@svc/testing/verified'
import { expect, test } from 'vitest'

const nothing = {
  broken: 0,
  unreadable: 0,
  set_aside: 0,
  missing_positions: 0,
  contradicted: 0,
  texts_altered: 0,
  texts_missing: 0,
  texts_unfinished: 0,
}
const auditor: Caller = { actor: 'user:usr_ada', role: 'auditor', tokenId: 'usr_ada' }

test('the last verification is kept: when, by whom, what it covered and found: UX-54', async () => {
  const service = await openRunningService()
  const root = service.operationsOf(rootCaller)
  expect(await root.lastVerification()).toEqual({ verification: null })
  const { account_id } = await root.openAccount({ name: 'Ada', spend_policy: 'standard' })

  const { type: _, kept, position, streams, events, head, anchor } = await verified(root)
  expect(kept).toBe(true)
  expect(await root.lastVerification()).toEqual({
    verification: {
      verified_at: expect.any(String),
      verified_by: 'operator',
      from: null,
      position,
      streams,
      events,
      head,
      anchor,
      ok: true,
      found: nothing,
    },
  })

  // This erases without an event that says so.
  await service.texts.erase(account_id)
  const second = await verified(service.operationsOf(auditor))
  expect(second.events).toBeGreaterThan(events)
  const { verification } = await root.lastVerification()
  expect(verification).toMatchObject({
    verified_by: 'user:usr_ada',
    events: second.events,
    position: second.position,
    ok: false,
    found: { ...nothing, texts_missing: 1 },
  })
})
