/** Why requests were refused. */

import type { RefusalDetails } from '@svc/contracts/admin/billing'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { errorCatalogue } from '@svc/contracts/errors'
import type { RefusedRequest } from '@svc/contracts/ports/refused-requests'
import type { OperationPorts } from './ports.ts'
import { noSuch } from './values/input-values.ts'
import { timeText } from './values/rfc3339-times.ts'

export function refusalOperations({
  refusedRequests,
}: Pick<OperationPorts, 'refusedRequests'>): Pick<OperationHandlers, 'explainRefusal'> {
  return {
    async explainRefusal({ request_id: requestId }) {
      const refused = refusedRequests.find(requestId)
      if (refused === undefined) throw noSuch('request_id', 'refused request', requestId)
      return refusalDetails(refused)
    },
  }
}

function refusalDetails(refused: RefusedRequest): RefusalDetails {
  const { requestId, at, accountId, keyId, format, model, status, code, message } = refused
  return {
    id: requestId,
    refused_at: timeText(at),
    account_id: accountId,
    key_id: keyId,
    format,
    model,
    status,
    code,
    meaning: errorCatalogue[code].doc,
    message,
  }
}
