import { cursorText } from '@svc/contracts/cursor'
import { statementQuery } from '@svc/contracts/wire/statement'
import { usageQuery } from '@svc/contracts/wire/usage'
import { expect, test } from 'vitest'
import { statementPage } from './statement-answer.ts'
import { type UsageViews, usagePage } from './usage-answer.ts'

const NOW = Date.UTC(2026, 10, 29)
const refused = expect.objectContaining({ code: 'invalid_value' })

/** Whoever reads the source can make a cursor that checks. */
function forged(kind: string, { cursor: _, limit: _limit, ...asked }: object & Forged, to: string) {
  return cursorText([kind, 'acct_1', asked], to)
}
interface Forged {
  readonly cursor?: unknown
  readonly limit?: unknown
}

test.each(['NaN', '1.5', '-1', '1e3', ''])('a statement does not go on behind "%s"', (place) => {
  const cursor = forged('statement', statementQuery.parse({}), place)
  const views = { statement: () => expect.unreachable() }
  expect(() => statementPage(views, 'acct_1', statementQuery.parse({ cursor }), NOW)).toThrow(
    refused,
  )
})

test.each(['NaN', '1.5', `${NOW * 10}`, `${Date.UTC(2026, 10, 30)}`])(
  'usage does not go on from "%s"',
  (place) => {
    const cursor = forged('usage', usageQuery.parse({}), place)
    const none = () => expect.unreachable()
    const nothing = { usage: none, nextUse: none, seriesCount: none, keys: none, key: none }
    const views: UsageViews = nothing
    expect(() => usagePage(views, 'acct_1', usageQuery.parse({ cursor }), NOW)).toThrow(refused)
  },
)
