/** `svc price publish|withdraw|correct|list` */

import type { Operations } from '@svc/contracts/admin/operations'
import type { PriceDetails, PricePreview } from '@svc/contracts/admin/prices'
import { ServiceError } from '@svc/contracts/errors'
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import { MODEL } from '@svc/contracts/wire/models'
import { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { CliError, EXIT_USAGE } from '../../context/exit-codes.ts'
import { factsText } from '../../output/facts.ts'
import { type Column, tableText } from '../../output/table.ts'
import {
  type ContextOf,
  confirmed,
  IDEMPOTENCY_OPTION,
  type OnceOption,
  onceKey,
  optionalMoment,
} from '../options.ts'
import { priceCorrectCommand } from './price-correction.ts'

interface PublishOptions extends OnceOption {
  readonly model: string
  readonly list: string
  readonly input: string
  readonly cachedInput: string
  readonly output: string
  readonly from?: string
  readonly dryRun?: true
  readonly yes?: true
}

interface WithdrawOptions {
  readonly reason: string
  readonly yes?: true
}

type Answer<Name extends keyof Operations> = Awaited<ReturnType<Operations[Name]>>
type NewPrice = Parameters<Operations['previewPrice']>[0]
type MeantPrice = NewPrice & ReturnType<typeof onceKey>

const priceColumns: readonly Column<PriceDetails>[] = [
  { title: 'PRICE', text: (price) => price.version },
  {
    title: 'MODEL',
    leftOut: 2,
    text: ({ model, demo }) => (demo ? `${model} (bundled only)` : model),
  },
  { title: 'LIST', cutTo: 12, text: (price) => price.price_list },
  { title: 'INPUT', align: 'decimal', text: (price) => price.input },
  { title: 'CACHED INPUT', align: 'decimal', text: (price) => price.cached_input },
  { title: 'OUTPUT', align: 'decimal', text: (price) => price.output },
  {
    title: 'IN FORCE FROM',
    leftOut: 1,
    text: ({ withdrawn_at, effective_from }) =>
      withdrawn_at === null ? effective_from : 'never: withdrawn',
  },
]

interface RateChange {
  readonly rate: string
  readonly before: string
  readonly after: string
}

const changeColumns: readonly Column<RateChange>[] = [
  { title: 'PER MILLION', text: ({ rate }) => rate },
  { title: 'OLD', align: 'decimal', text: ({ before }) => before },
  { title: 'NEW', align: 'decimal', text: ({ after }) => after },
]

export function priceCommand(contextOf: ContextOf): Command {
  const price = new Command('price').description('prices, in dollars per million tokens')
  price
    .command('publish')
    .description('publish a price; requests accepted before it takes force keep theirs')
    .requiredOption('--input <dollars>', 'per million tokens that the model computes')
    .requiredOption('--cached-input <dollars>', 'per million tokens from the prefix cache')
    .requiredOption('--output <dollars>', 'per million tokens of the answer')
    .option('--model <model>', 'what is priced', MODEL)
    .option('--list <name>', 'for the accounts on this list alone', DEFAULT_PRICE_LIST)
    .option('--from <time>', 'when it takes force, not before now (default: now)')
    .option('--dry-run', 'show the old and the new price, and publish nothing')
    .option('--yes', 'do not ask, also when the price is 0 or tenfold different')
    .option(...IDEMPOTENCY_OPTION)
    .action((options: PublishOptions, command: Command) => publish(contextOf(command), options))
  price
    .command('withdraw')
    .description('take back an announced price, until a minute before it takes force')
    .argument('<price>', 'id of the price, price_…')
    .option('--reason <text>', 'why', 'withdrawn by the operator')
    .option('--yes', 'do not ask')
    .action((version: string, options: WithdrawOptions, command: Command) =>
      withdraw(contextOf(command), version, options),
    )
  price.addCommand(priceCorrectCommand(contextOf))
  price
    .command('list')
    .description('all prices ever published')
    .action((_options, command: Command) => list(contextOf(command)))
  return price
}

async function publish(context: Context, options: PublishOptions): Promise<void> {
  const asked: NewPrice = {
    model: options.model,
    price_list: options.list,
    input: options.input,
    cached_input: options.cachedInput,
    output: options.output,
    effective_from: optionalMoment('--from', options.from),
  }
  if (options.dryRun === true) {
    const preview = await context.withOperations((operations) => operations.previewPrice(asked))
    return showPreview(context, preview)
  }
  const meant = { ...asked, ...onceKey(options) }
  const price = await (options.yes === true
    ? publishSurely(context, meant)
    : publishUnlessDoubted(context, meant))
  if (context.json) return context.outJson('price/2', price)
  await context.out(`${price.version}\n`)
  context.note(`${publishedText(price)}; see it with: svc price list`)
}

function publishSurely(context: Context, meant: MeantPrice): Promise<Answer<'publishPrice'>> {
  return context.withOperations((operations) =>
    operations.publishPrice({ ...meant, confirm: true }),
  )
}

function publishedText({
  created,
  effective_from: from,
  withdrawn_at: withdrawnAt,
}: Answer<'publishPrice'>): string {
  if (created) return `published, in force from ${from}`
  const state = withdrawnAt === null ? `in force from ${from}` : `withdrawn at ${withdrawnAt}`
  return `had been published before, ${state}: nothing was changed`
}

async function publishUnlessDoubted(
  context: Context,
  meant: MeantPrice,
): Promise<Answer<'publishPrice'>> {
  const tried = await context.withOperations((operations) => publishedOrPreview(operations, meant))
  if (!('doubts' in tried)) return tried
  // Nothing is open while somebody thinks: whoever opens the folder of a stopped server holds it.
  await askAboutDoubts(context, tried)
  return publishSurely(context, meant)
}

/** Only publishing knows a key that published before: then there is nothing to ask about. */
async function publishedOrPreview(
  operations: Operations,
  meant: MeantPrice,
): Promise<Answer<'publishPrice'> | PricePreview> {
  try {
    return await operations.publishPrice(meant)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'confirmation_required') throw error
  }
  const { idempotency_key: _, ...asked } = meant
  return operations.previewPrice(asked)
}

async function askAboutDoubts(context: Context, { doubts }: PricePreview): Promise<void> {
  if (doubts.length === 0) return
  const why = doubts.join('; ')
  if (!context.terminal.canAsk) {
    throw new CliError(EXIT_USAGE, `${why}: if it is meant so, say --yes (there is nobody to ask)`)
  }
  await confirmed(context, `${why}. Publish it?`, undefined)
}

async function showPreview(context: Context, preview: PricePreview): Promise<void> {
  if (context.json) return context.outJson('price-preview/1', preview)
  const { replaces, replaced_by: next } = preview
  const change = (rate: 'input' | 'cached_input' | 'output') => ({
    rate: rate.replace('_', ' '),
    before: replaces?.[rate] ?? 'none',
    after: preview[rate],
  })
  await context.out(
    [
      factsText([
        ['model', preview.model],
        ['list', preview.price_list],
        ['in force from', preview.effective_from],
        ['replaces', replacedText(replaces)],
        ...(next === null
          ? []
          : [['until', `${next.effective_from}, by ${next.version}`] as const]),
      ]),
      tableText(context, changeColumns, [
        change('input'),
        change('cached_input'),
        change('output'),
      ]),
    ].join('\n'),
  )
  for (const doubt of preview.doubts) context.note(`${doubt}: publishing it asks, or takes --yes`)
  context.note('nothing was published')
}

function replacedText(replaced: PricePreview['replaces']): string {
  return replaced === null ? 'nothing' : `${replaced.version} of the list "${replaced.price_list}"`
}

async function withdraw(
  context: Context,
  version: string,
  { reason, yes }: WithdrawOptions,
): Promise<void> {
  await confirmed(context, `Withdraw ${version} for ever?`, yes)
  const price = await context.withOperations((operations) =>
    operations.withdrawPrice({ version, reason }),
  )
  if (context.json) return context.outJson('price-withdrawn/1', price)
  await context.out(`${price.version}\n`)
  const { already_withdrawn, withdrawn_at } = price
  context.note(
    already_withdrawn
      ? `was withdrawn already, since ${withdrawn_at}`
      : 'withdrawn: it never counts',
  )
}

async function list(context: Context): Promise<void> {
  const prices = await context.withOperations((operations) => operations.listPrices())
  if (context.json) return context.outJson('prices/2', { prices })
  await context.out(tableText(context, priceColumns, prices))
  if (prices.length === 0) context.note('there are no prices')
}
