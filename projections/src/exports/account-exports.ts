/** The statement, the requests and the usage of an account as files. */
import { createHash } from 'node:crypto'
import { csvText } from '@svc/contracts/csv'
import { formatExact, parseDollars } from '@svc/contracts/money'
import type { Pace } from '@svc/contracts/ports/pace'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import type { TextStore } from '@svc/contracts/ports/text-store'
import { statementFiles } from '@svc/contracts/statement-files'
import { statementText } from '@svc/contracts/statement-text'
import type {
  RequestsExportFields,
  StatementExportFields,
  UsageExportFields,
} from '@svc/contracts/wire/exports'
import type { RequestsAnswer } from '@svc/contracts/wire/requests'
import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { textIn, type Zone } from '@svc/contracts/zone'
import { checkAskedKey } from '../answers/asked-key.ts'
import { readPeriod, readZoneOf } from '../answers/asked-period.ts'
import { type CatchUp, type RequestListViews, requestsPage } from '../answers/requests-answer.ts'
import { statementEntryOf } from '../answers/statement-answer.ts'
import { type UsageViews, usagePage } from '../answers/usage-answer.ts'
import type { Views } from '../views/views.ts'
import { type ListColumn, type ListHead, listText } from './list-file.ts'

/** Rows that are read and written in one step: some milliseconds. */
const STATEMENT_PAGE_ROWS = 250
const REQUESTS_PAGE_ROWS = 50
const USAGE_PAGE_STEPS = 100

export interface ExportSources {
  readonly views: UsageViews & RequestListViews & Pick<Views, 'statement'>
  /** The texts that the log has only words for. */
  readonly texts: Pick<TextStore, 'find'>
  readonly pace: Pace
}

export interface ExportedAccount {
  readonly accountId: string
  /** The position of the last event of the account that the views hold. */
  readonly position: string
}

export interface StatementAccount extends ExportedAccount {
  /** The customer is not told who of the operator's people did it. */
  readonly reader: 'customer' | 'operator'
}

/** @throws {ServiceError} `invalid_value` that names the field */
export function statementExport(
  {
    views,
    texts,
    pace,
  }: Pick<ExportSources, 'texts' | 'pace'> & {
    readonly views: Pick<Views, 'statement'>
  },
  { accountId, position, reader }: StatementAccount,
  { as, zone: zoneName, ...asked }: StatementExportFields,
): AsyncGenerator<string> {
  const zone = readZoneOf(zoneName)
  const period = readPeriod({ ...asked, zone })
  const pages = async function* () {
    let after: number | undefined
    do {
      const query = { accountId, limit: STATEMENT_PAGE_ROWS, ...period }
      const page = await pace.step(() =>
        views.statement(after === undefined ? query : { ...query, after }),
      )
      const entries = page.rows.map(statementEntryOf)
      const rows =
        reader === 'operator' ? entries : entries.map((entry) => ({ ...entry, actor: null }))
      const shown = await withTextsShown(texts, rows)
      yield { position, opening: formatExact(page.opening), rows: shown }
      after = page.more ? page.rows.at(-1)?.entry : undefined
    } while (after !== undefined)
  }
  const source = { account_id: accountId, zone, ...periodTexts(period, zone), pages }
  return statementText(source, statementFiles[as], () => createHash('sha256'))
}

/** @throws {ServiceError} `invalid_value`, or `not_found` for the key, that names the field */
export function requestsExport(
  { views, texts, pace }: ExportSources,
  account: ExportedAccount,
  { as, ...asked }: RequestsExportFields,
  catchUp: CatchUp,
): AsyncGenerator<string> {
  const zone = readZoneOf(asked.zone)
  const period = periodTexts(readPeriod(asked), zone)
  const { key_id, model, format, status } = asked
  checkAskedKey(views, account.accountId, key_id)
  const filter = { key_id, model, format, status }
  const head = headOf('svc.requests_export/1', account, { zone, ...period }, filter)
  const pages = eachPage((cursor) =>
    pace.step(async () => {
      const query = { ...asked, limit: REQUESTS_PAGE_ROWS, cursor }
      return withTextsShown(texts, await requestsPage(views, account.accountId, query, catchUp))
    }),
  )
  return listText({ head, columns: requestColumns, pages }, as)
}

/**
 * @param nowMs the end of the period by default
 * @throws {ServiceError} `invalid_value`, or `not_found` for the key, that names the field
 */
export function usageExport(
  { views, texts, pace }: ExportSources,
  account: ExportedAccount,
  { as, ...asked }: UsageExportFields,
  nowMs: number,
): AsyncGenerator<string> {
  const read = (cursor?: string) =>
    usagePage(views, account.accountId, { ...asked, limit: USAGE_PAGE_STEPS, cursor }, nowMs)
  // The period by default is told by the answer.
  const { zone, from, to } = read()
  const { by, group_by: groups, key_id, model, format } = asked
  const filter = { by, group_by: groups?.join('+'), key_id, model, format }
  const head = headOf('svc.usage_export/1', account, { zone, from, to }, filter)
  const pages = eachPage((cursor) => pace.step(() => withTextsShown(texts, read(cursor))))
  return listText({ head, columns: usageColumns, pages }, as)
}

type RequestRow = RequestsAnswer['data'][number]
type UsageRow = UsageAnswer['data'][number]

/** The classes of tokens have no token in common. */
const requestColumns: readonly ListColumn<RequestRow>[] = [
  ['id', ({ id }) => id],
  ['created_at', (row) => row.created_at],
  ['ended_at', (row) => row.ended_at ?? ''],
  ['status', ({ status }) => status],
  ['key_id', ({ key }) => csvText(key.id)],
  ['key_name', ({ key }) => csvText(key.name ?? '')],
  ['model', ({ model }) => csvText(model)],
  ['format', ({ format }) => format],
  ['input_tokens', ({ usage }) => `${usage.input_tokens}`],
  ['cached_input_tokens', ({ usage }) => `${usage.cached_input_tokens}`],
  ['output_tokens', ({ usage }) => `${usage.output_tokens}`],
  ['reasoning_tokens', ({ usage }) => `${usage.reasoning_tokens}`],
  ['price_version', (row) => csvText(row.price_version)],
  ['amount_usd', ({ amount }) => amount],
  ['amount_pico_usd', ({ amount }) => picoText(amount)],
  ['finish_reason', (row) => row.finish_reason ?? ''],
  ['reason', ({ reason }) => csvText(reason ?? '')],
  ['first_token_ms', (row) => `${row.first_token_ms ?? ''}`],
  ['total_ms', (row) => `${row.total_ms ?? ''}`],
  ['refunded_usd', ({ refunded }) => refunded],
]

const usageColumns: readonly ListColumn<UsageRow>[] = [
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['key_id', ({ key }) => csvText(key?.id ?? '')],
  ['key_name', ({ key }) => csvText(key?.name ?? '')],
  ['model', ({ model }) => csvText(model ?? '')],
  ['format', ({ format }) => format ?? ''],
  ['class', (row) => row.class ?? ''],
  ['requests', ({ requests }) => `${requests ?? ''}`],
  ...(['input', 'cached_input', 'output'] as const).flatMap((name): ListColumn<UsageRow>[] => {
    const lineOf = ({ lines }: UsageRow) => lines.find((line) => line.class === name)
    return [
      [`${name}_tokens`, (row) => `${lineOf(row)?.tokens ?? ''}`],
      [`${name}_usd`, (row) => lineOf(row)?.amount ?? ''],
    ]
  }),
  ['amount_usd', ({ amount }) => amount],
  ['amount_pico_usd', ({ amount }) => picoText(amount)],
]

function picoText(amount: string): string {
  return `${parseDollars(amount)}`
}

function headOf(
  schema: string,
  { accountId, position }: ExportedAccount,
  period: Pick<ListHead, 'zone' | 'from' | 'to'>,
  filter: Readonly<Record<string, string | undefined>>,
): ListHead {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  return {
    schema,
    account_id: accountId,
    currency: 'USD',
    ...period,
    filter: Object.fromEntries(given) as Readonly<Record<string, string>>,
    position,
  }
}

/** Writes a period in RFC 3339 as clocks in the zone show it. */
function periodTexts(period: ReturnType<typeof readPeriod>, zone: Zone) {
  return {
    ...(period.from === undefined ? {} : { from: textIn(period.from, zone) }),
    ...(period.to === undefined ? {} : { to: textIn(period.to, zone) }),
  }
}

async function* eachPage<Row>(
  read: (cursor: string | undefined) => Promise<{
    readonly data: readonly Row[]
    readonly next_cursor: string | null
  }>,
): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined
  do {
    const { data, next_cursor: next } = await read(cursor)
    yield data
    cursor = next ?? undefined
  } while (cursor !== undefined)
}
