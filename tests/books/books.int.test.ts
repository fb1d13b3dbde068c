/**
 * Any history of accounts against plain arithmetic: grants, requests, corrections, prices, ends, at
 * two gateways at once, over restarts. After each step the accounts are what they should be, and at
 * the end so is all that is shown of them.
 *
 * More of it: `SVC_BOOKS_RUNS=10000 SVC_BOOKS_SEED=1 vitest run --project integration tests/books`.
 */
import { temporaryFolder } from '@svc/testing/temporary-folder'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BooksService } from './books-service.ts'
import { compareAll } from './compared.ts'
import { Play } from './play.ts'
import { histories } from './steps.ts'
import type { Price } from './world.ts'

const RUNS = Number(process.env.SVC_BOOKS_RUNS ?? 30)
const seed = process.env.SVC_BOOKS_SEED
/** A correction of a price looks at every account there is. */
const HISTORIES_PER_SERVICE = 16
const BASE = { input: '0.000002', cached_input: '0.000001', output: '0.000003' }

/** A service, the price of its list `default`, and how many histories were played on it. */
interface Opened {
  readonly service: BooksService
  readonly base: Price
  played: number
}

async function open(): Promise<Opened> {
  const service = await BooksService.open(temporaryFolder())
  const [gateway] = service.gateways
  if (gateway === undefined) throw new Error('there is no gateway')
  const asked = { model: 'svc-beta', effective_from: null, confirm: true }
  const { version } = await gateway.operations.publishPrice({ ...asked, ...BASE })
  for (const { ledger } of service.gateways) await ledger.pricing.lookAgain()
  const rates = { input: 2n, cached: 1n, output: 3n }
  return {
    service,
    base: { version, list: 'default', rates, from: 0, withdrawn: false },
    played: 0,
  }
}

/** All books together: equations, trial balance and views. */
async function finish({ service }: Opened): Promise<void> {
  for await (const line of service.gateways[0]?.operations.reconcile() ?? []) {
    if (line.type === 'result') expect(line).toMatchObject({ ok: true, findings: [] })
  }
  await service.close()
}

// The machine may be as slow as it likes.
test(`${RUNS} histories are what plain arithmetic says`, { timeout: 0 }, async () => {
  const reached = new Map<string, number>()
  let opened = await open()
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      if (opened.played === HISTORIES_PER_SERVICE) {
        await finish(opened)
        opened = await open()
      }
      opened.played += 1
      const names = { list: `list-${opened.played}`, base: opened.base }
      const play = new Play(opened.service, history, names, (what) => {
        reached.set(what, (reached.get(what) ?? 0) + 1)
      })
      await play.all()
      if (opened.played % 8 !== 0) return
      const ledger = await opened.service.moved()
      await compareAll(play.world, { ledger })
      await ledger.close()
    }),
    { numRuns: RUNS, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  )
  await finish(opened)
  // The histories must reach what they are about.
  const often = ['grant', 'accept', 'settle', 'void', 'refund', 'adjust', 'close', 'correct']
  for (const what of often) expect([what, reached.get(`${what} done`) ?? 0]).not.toEqual([what, 0])
})
