/**
 * `svc start sweeper`: ends the requests that gateways left open when they died, and writes off
 * expired credit. Two may run: the ledger ends a request and writes credit off once, whoever asks,
 * and tells the second that it was done already.
 */
import { startSweeping } from '../core/sweeping.ts'
import type { Role } from './role.ts'

export const sweeper: Role = {
  name: 'sweeper',
  isGateway: false,
  hasDashboard: false,
  async start({ parts, ...surroundings }, core) {
    parts.add(startSweeping(core, { ...surroundings, whose: 'anybody' }))
    return undefined
  },
}
