/** `svc price publish|list` */

import type { PriceDetails } from '@svc/contracts/admin/billing'
import { MODEL } from '@svc/contracts/wire/models'
import { Command } from 'commander'
import type { Context } from '../context/context.ts'
import { type Column, tableText } from '../output/table.ts'
import { type ContextOf, optionalMoment } from './options.ts'

interface PublishOptions {
  readonly model: string
  readonly input: string
  readonly cachedInput: string
  readonly output: string
  readonly from?: string
}

const priceColumns: readonly Column<PriceDetails>[] = [
  { title: 'PRICE', text: (price) => price.version },
  {
    title: 'MODEL',
    leftOut: 2,
    text: ({ model, demo }) => (demo ? `${model} (bundled only)` : model),
  },
  { title: 'INPUT', align: 'decimal', text: (price) => price.input },
  { title: 'CACHED INPUT', align: 'decimal', text: (price) => price.cached_input },
  { title: 'OUTPUT', align: 'decimal', text: (price) => price.output },
  { title: 'IN FORCE FROM', leftOut: 1, text: (price) => price.effective_from },
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
    .option('--from <time>', 'when it takes force, not before now (default: now)')
    .action((options: PublishOptions, command: Command) => publish(contextOf(command), options))
  price
    .command('list')
    .description('all prices ever published')
    .action((_options, command: Command) => list(contextOf(command)))
  return price
}

async function publish(context: Context, options: PublishOptions): Promise<void> {
  const { model, input, cachedInput, output } = options
  const effectiveFrom = optionalMoment('--from', options.from)
  const price = await context.withOperations((operations) =>
    operations.publishPrice({
      model,
      input,
      cached_input: cachedInput,
      output,
      effective_from: effectiveFrom,
    }),
  )
  if (context.json) return context.outJson('price/2', price)
  await context.out(`${price.version}\n`)
  context.note(`published; see it with: svc price list`)
}

async function list(context: Context): Promise<void> {
  const prices = await context.withOperations((operations) => operations.listPrices())
  if (context.json) return context.outJson('prices/2', { prices })
  await context.out(tableText(context, priceColumns, prices))
}
