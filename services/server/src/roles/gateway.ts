/**
 * `svc start gateway`: answers clients. What it knows of accounts is a cache, and the exact head of
 * a stream fences every append, so any number of gateways may serve the same account.
 *
 * With `SVC_VIEWS_URL` it builds no views, and asks projectors for what they know.
 *
 * It ends what its own earlier runs left open; what other gateways left is for a sweeper.
 */
import { startSweeping } from '../core/sweeping.ts'
import { projector } from './projector.ts'
import type { Role } from './role.ts'

export const gateway: Role = {
  name: 'gateway',
  isGateway: true,
  hasDashboard: true,
  async start({ parts, ...surroundings }, core) {
    parts.add(startSweeping(core, { ...surroundings, whose: 'own' }))
    if (core.viewServers !== undefined) return undefined
    return projector.start({ parts, ...surroundings }, core)
  },
}
