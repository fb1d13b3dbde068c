/**
 * `svc start projector`: follows the log with views of its own, answers what is asked of them, and
 * signs checkpoints of the log. Each projector is a replica: start another, and there are two.
 */
import { systemTimer } from '@svc/infra/system/system-timer'
import { startCheckpointing } from '../evidence/checkpointing.ts'
import type { Role } from './role.ts'

export const projector: Role = {
  name: 'projector',
  isGateway: false,
  hasDashboard: true,
  async start({ parts, folder, logger }, core) {
    parts.add(startCheckpointing({ ...core, folder, timer: systemTimer, logger }))
    return undefined
  },
}
