/**
 * The operations of a service in this very process, put together: what the admin routes and the
 * CLI stand on. Each subject has a file of its own.
 */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers, Operations } from '@svc/contracts/admin/operations'
import { invitationOperations } from '../people/invitation-operations.ts'
import { userOperations } from '../people/user-operations.ts'
import { workerOperations } from '../workers/worker-operations.ts'
import { accountOperations } from './account-operations.ts'
import { billOperations } from './bill-operations.ts'
import { correctionOperations } from './correction-operations.ts'
import { financeOperations } from './finance-operations.ts'
import { keyOperations } from './key-operations.ts'
import { logOperations } from './log-operations.ts'
import { withParsedInput } from './middleware/declared-input.ts'
import { withOperatorAdvice } from './middleware/operator-advice.ts'
import { withRecordedReads } from './middleware/recorded-reads.ts'
import { withTexts } from './middleware/shown-texts.ts'
import type { OperationPorts } from './ports.ts'
import { priceOperations } from './price-operations.ts'
import { refusalOperations } from './refusal-operations.ts'
import { serviceStatus } from './service-status.ts'
import { textOperations } from './texts/text-operations.ts'
import { tokenOperations } from './token-operations.ts'
import { usageOperations } from './usage-operations.ts'

export type { OperationPorts } from './ports.ts'

/** @param caller for whom they are carried out: every event they cause names it */
export function createLocalOperations(ports: OperationPorts, caller: Caller): Operations {
  const handlers: OperationHandlers = {
    ...accountOperations(ports, caller),
    ...keyOperations(ports, caller),
    ...priceOperations(ports, caller),
    ...billOperations(ports),
    ...correctionOperations(ports, caller),
    ...financeOperations(ports),
    ...logOperations(ports, caller),
    ...usageOperations(ports),
    ...workerOperations(ports),
    ...tokenOperations(ports, caller),
    ...textOperations(ports, caller),
    ...refusalOperations(ports),
    ...userOperations(ports, caller),
    ...invitationOperations(ports, caller),
    status: () => serviceStatus(ports),
  }
  const recorded = withRecordedReads(handlers, caller, ports.auditTrail)
  return withParsedInput(withOperatorAdvice(withTexts(recorded, ports.texts)))
}
