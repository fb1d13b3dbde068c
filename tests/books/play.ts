/** Plays a history on the service and on the reference accounts, and compares after each step. */
import { type Answer, type AskedStep, ask, askedStep } from './asked-steps.ts'
import type { BooksService } from './books-service.ts'
import { compare, compareAll, compareHolds, compareSlices, compareViews } from './compared.ts'
import { expected } from './expected-steps.ts'
import { correct, publish, withdraw } from './price-steps.ts'
import { ReferenceAccount } from './reference-account.ts'
import type { Outcome } from './reference-funds.ts'
import type { History, Step } from './steps.ts'
import { Difference, type Price, World } from './world.ts'

export class Play {
  readonly world: World
  readonly #done: AskedStep[] = []
  /** What was asked, and what became of it: whether histories reach what they are about. */
  readonly #reached: (what: string) => void

  constructor(
    service: BooksService,
    history: History,
    names: { readonly list: string; readonly base: Price },
    reached: (what: string) => void,
  ) {
    this.world = new World(service, history, names.list, names.base)
    this.#reached = reached
  }

  /** @throws {Difference} */
  async all(): Promise<void> {
    const world = this.world
    const { history, service } = world
    await this.#open()
    for (const [index, step] of [...history.funding, ...history.steps].entries()) {
      service.clock.move(history.tickMs)
      await atStep(`step ${index} ${shown(step)}`, async () => {
        await this.#take(step)
        if (history.looks || step.type === 'look') await compareAll(world, world.gateway(index % 2))
      })
    }
    await atStep('the end', async () => {
      for (const gateway of service.gateways) await compareAll(world, gateway)
      await compareViews(world)
    })
  }

  /** Opens the accounts, all on the list of the history where that has a price. */
  async #open(): Promise<void> {
    const world = this.world
    const { ledger, operations } = world.gateway(0)
    for (const rates of world.history.prices) {
      world.service.clock.move(1)
      await publish(world, { type: 'publish', gateway: 0, rates, startsIn: null })
    }
    for (const policy of world.history.policies) {
      const asked = { name: 'an account', spend_policy: policy }
      const { account_id: accountId } = await operations.openAccount(asked)
      const { administration } = ledger
      const { keyId } = await administration.createKey(accountId, { name: 'key', actor: 'test' })
      const model = new ReferenceAccount()
      model.policy = policy
      if (world.history.prices.length > 0) {
        model.list = world.list
        await operations.setPriceList({ account_id: accountId, price_list: world.list })
      }
      world.pairs.push({ accountId, keyId, model })
    }
  }

  async #take(step: Step): Promise<void> {
    const world = this.world
    switch (step.type) {
      case 'publish':
        return publish(world, step)
      case 'withdraw':
        return withdraw(world, step)
      case 'correct': {
        const what = await correct(world, step)
        if (what !== undefined) this.#reached(what)
        return
      }
      case 'wait':
        return world.service.clock.move(step.byMs)
      case 'restart':
        return world.service.restart(step.how)
      case 'look':
        return
      case 'again':
        return this.#again(step)
      case 'together': {
        const { account } = step
        // What is asked for under a key is compared until an erasure, and answers do not tell when.
        const steps = step.steps.filter(({ type }) => type !== 'erase')
        const all = steps.map((each) => askedStep(world, { ...each, account }))
        return this.#several(all.filter((each) => each !== undefined))
      }
      default: {
        const asked = askedStep(world, step)
        if (asked === undefined) return
        this.#done.push(asked)
        return this.#one(asked)
      }
    }
  }

  async #again({ gateway, back }: Extract<Step, { type: 'again' }>): Promise<void> {
    const world = this.world
    const before = this.#done.at(-1 - back)
    if (before === undefined) return
    const { step, pair } = before
    // The server gives every request an id of its own.
    const requestId =
      step.type === 'accept' ? world.gateway(gateway).ledger.newRequestId() : before.requestId
    const price = world.priceFor(pair.model)
    await this.#one({ ...before, gateway, at: world.now, requestId, price })
  }

  async #one(asked: AskedStep): Promise<void> {
    const answer = await ask(this.world, asked)
    const should = expected(this.world, asked.pair.model, asked, answer)
    this.#reached(`${asked.step.type} ${should.done ? 'done' : should.code}`)
    sameAnswer(asked, answer, should)
  }

  /** One order must explain all answers and what the account is then. */
  async #several(all: readonly AskedStep[]): Promise<void> {
    const world = this.world
    const [first] = all
    if (first === undefined) return
    const answers = await Promise.all(all.map((asked) => ask(world, asked)))
    const problems: string[] = []
    for (const order of permutations(all.map((asked, index) => [asked, answers[index]] as const))) {
      const model = first.pair.model.copy()
      try {
        for (const [asked, answer] of order) {
          if (answer === undefined || isGivenUp(model, asked, answer)) continue
          sameAnswer(asked, answer, expected(world, model, asked, answer), ofTheAccount)
        }
        model.expire(world.now)
        await this.#compareGroup({ ...first.pair, model }, all)
        first.pair.model = model
        return
      } catch (error) {
        if (!(error instanceof Difference)) throw error
        problems.push(error.message)
      }
    }
    throw new Difference(`no order explains it:\n${problems.join('\n')}`)
  }

  async #compareGroup(pair: AskedStep['pair'], all: readonly AskedStep[]): Promise<void> {
    const world = this.world
    await compare(pair, world.gateway(0))
    await compareHolds(world, pair.accountId, pair.model)
    for (const { step, requestId } of all) {
      if (step.type === 'settle') await compareSlices(world, requestId, pair.model)
    }
  }
}

/** A worker that runs is not given a lower limit: such a request may be refused. */
function isGivenUp(
  { policy }: ReferenceAccount,
  { step }: AskedStep,
  { outcome }: Answer,
): boolean {
  if (step.type !== 'accept' || policy !== 'strict' || outcome.done) return false
  return outcome.code === 'balance_in_use'
}

/**
 * Of these, two gateways that write the very same change at once write one event, which each calls
 * its own.
 */
const ofTheAccount: ReadonlySet<Step['type']> = new Set(['freeze', 'policy', 'list'])

/** @param either steps that may be new or not */
function sameAnswer(
  { step, pair }: AskedStep,
  answer: Answer,
  should: Outcome,
  either: ReadonlySet<Step['type']> = new Set(),
): void {
  // A gateway that was behind answers with the hold that it thought of: the state is compared.
  const isNoAmount =
    step.type === 'accept' || (step.type === 'grant' && should.done && !should.isNew)
  const text = (outcome: Outcome): string => {
    if (!outcome.done) return outcome.code
    const isUntold = ('isTrial' in step && step.isTrial) || either.has(step.type)
    const isNew = isUntold ? 'or not' : `${outcome.isNew}`
    return `done ${isNew} ${isNoAmount ? '' : outcome.amount}`
  }
  const [is, expectedText] = [text(answer.outcome), text(should)]
  if (is === expectedText) return
  const where = `${step.type} on ${pair.accountId}`
  throw new Difference(`${where}: answered "${is}", should "${expectedText}"`)
}

async function atStep(where: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new Difference(`${where}: ${message}`, { cause })
  }
}

function shown(step: Step): string {
  return JSON.stringify(step, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

function* permutations<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  if (all.length <= 1) yield all
  else {
    for (const [index, first] of all.entries()) {
      for (const rest of permutations(all.toSpliced(index, 1))) yield [first, ...rest]
    }
  }
}
