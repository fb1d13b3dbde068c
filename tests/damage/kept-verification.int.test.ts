/** A verification that was made before the server was started again. */
import { DamagedService, verified } from '@svc/testing/damaged-service'
import { expect, test } from 'vitest'

const TEST_MS_MAX = 60_000

test.each(['sqlite', 'eventstoredb'] as const)(
  'the last verification is told after a restart, on %s: UX-54',
  async (kind) => {
    const folder = await DamagedService.open(kind)
    const service = await folder.start()
    expect((await verified(service.operations)).kept).toBe(true)
    const before = await service.operations.lastVerification()
    expect(before.verification).toMatchObject({ ok: true, verified_by: 'operator' })
    await service.stop()
    const again = await folder.start()
    expect(await again.operations.lastVerification()).toEqual(before)
    const { broken, unreadable } = await verified(again.operations)
    expect([broken, unreadable]).toEqual([[], []])
    await again.stop()
  },
  TEST_MS_MAX,
)
