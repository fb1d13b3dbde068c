/** Statements, and why a request cost what it cost. */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { formatExact } from '@svc/contracts/money'
import { statementExport } from '@svc/projections/account-exports'
import { isOver, readPeriod } from '@svc/projections/asked-period'
import { receiptOf } from '@svc/projections/receipt'
import { statementEntryOf } from '@svc/projections/statement-answer'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { checkAccountId, noSuch, noSuchAccount } from './values/input-values.ts'

export function billOperations(
  ports: OperationPorts,
): Pick<OperationHandlers, 'statement' | 'exportStatement' | 'explain'> {
  const { pace, clock, texts } = ports
  const { views } = ports.projections
  const statementPosition = async (accountId: string): Promise<string> => {
    checkAccountId(accountId)
    const [position] = await Promise.all([
      viewsCurrent(ports, 'statement'),
      viewsCurrent(ports, 'accounts'),
    ])
    if (views.account(accountId) === undefined) throw noSuchAccount(accountId)
    return `${position}`
  }
  return {
    async statement({ account_id: accountId, from, to, zone, order, after, limit }) {
      // Read before the views: a period that ends meanwhile is not called over.
      const nowMs = clock.nowMs()
      const position = await statementPosition(accountId)
      const period = readPeriod({ from, to, zone })
      const query = {
        accountId,
        limit,
        ...period,
        order,
        after,
      }
      // An export asks for page after page.
      const statement = await pace.step(() => views.statement(query))
      return {
        account_id: accountId,
        position,
        opening: formatExact(statement.opening),
        closing: formatExact(statement.closing),
        over: isOver(period, nowMs),
        rows: await pace.step(() => statement.rows.map(statementEntryOf)),
        more: statement.more,
      }
    },
    async *exportStatement({ account_id: accountId, ...asked }) {
      const position = await statementPosition(accountId)
      const account = { accountId, position, reader: 'operator' } as const
      for await (const text of statementExport({ views, texts, pace }, account, asked)) {
        yield { text }
      }
    },
    async explain({ request_id: requestId }) {
      await viewsCurrent(ports, 'requests')
      await viewsCurrent(ports, 'usage')
      const row = await views.request(requestId)
      if (row === undefined) throw noSuch('request_id', 'request', requestId)
      const keyName = views.key(row.keyId)?.name ?? null
      return {
        ...receiptOf(row, keyName, ports.ledger.pricing.published()),
        account_id: row.accountId,
      }
    },
  }
}
