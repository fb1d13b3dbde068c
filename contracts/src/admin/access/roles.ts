/**
 * Who may do what. Each role may do all that the roles before it may:
 *
 *     metrics   reads /metrics
 *     auditor   reads everything, and changes nothing
 *     operator  runs the service: accounts, credit, keys, prices, workers
 *     owner     hands out power: admin tokens
 */
import { type AdminRole, adminRoles } from '../../events/admin-tokens.ts'

/** @param least the least role that may */
export function isAllowed(role: AdminRole, least: AdminRole): boolean {
  return adminRoles.indexOf(role) >= adminRoles.indexOf(least)
}
