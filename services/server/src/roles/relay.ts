/**
 * `svc start relay`: sends the events of the ledger to Kafka, and takes payments from there. One is
 * enough: it goes on from the checkpoint in its own data folder, and a second one would send every
 * event a second time.
 */
import { openFeed } from '../feed/open-feed.ts'
import type { Role } from './role.ts'

export const relay: Role = {
  name: 'relay',
  isGateway: false,
  hasDashboard: false,
  start: (surroundings, core) => openFeed(surroundings, core),
}
