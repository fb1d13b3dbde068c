import { describe, expect, it } from 'vitest'
import { BatchCost } from './batch-cost.ts'
import { BatchTurns, type StepKind } from './batch-turns.ts'
import { StopRequest } from './stop-request.ts'

const CHUNK_MS = 60
/** As on a small model: each answer in a batch costs as much as the first. */
const TOKEN_MS = 12
/** As on the bundled one. */
const TOY_TOKEN_MS = 0.5

interface Batch {
  readonly steps: string[]
  readonly atMs: number
}

/** A model that computes one batch after the other, on a clock of its own. */
function model({ tokenMs = (answers: number) => TOKEN_MS * answers } = {}) {
  const batches: Batch[] = []
  let nowMs = 0
  let batch: { steps: string[]; kinds: StepKind[]; done: Promise<void> } | null = null
  const turns = new BatchTurns(() => nowMs)
  /** Steps that begin together are one batch. */
  const compute = (tenant: string, kind: StepKind): Promise<void> => {
    if (batch !== null) {
      batch.steps.push(tenant)
      batch.kinds.push(kind)
      return batch.done
    }
    const own = { steps: [tenant], kinds: [kind], done: Promise.resolve() }
    own.done = new Promise((resolve) =>
      setImmediate(() => {
        nowMs += kind === 'token' ? tokenMs(own.steps.length) : CHUNK_MS
        batches.push({ steps: own.steps, atMs: nowMs })
        batch = null
        resolve()
      }),
    )
    batch = own
    return own.done
  }
  const run = (tenant: string, weight = 1) => {
    const interrupt = new AbortController()
    const stop = new StopRequest(interrupt.signal)
    const stepping = { tenant, weight, stop }
    const step = (kind: StepKind) => turns.step(stepping, kind, () => compute(tenant, kind))
    const steps = async (kind: StepKind, count: number): Promise<number> => {
      for (let done = 0; done < count; done += 1) {
        if ((await step(kind)) === null) return done
      }
      return count
    }
    return { interrupt, stop, steps }
  }
  const usedMs = (tenant: string) => {
    const spans = batches.map(({ atMs }, index) => atMs - (batches[index - 1]?.atMs ?? 0))
    return batches.reduce((sum, { steps }, index) => {
      const own = steps.filter((step) => step === tenant).length
      return sum + ((spans[index] ?? 0) * own) / steps.length
    }, 0)
  }
  return { turns, batches, run, compute, usedMs, now: () => nowMs }
}

describe('the time of the model', () => {
  it('is had first by who asks for little, whatever another one asks for', async () => {
    const { run, batches } = model()
    const greedy = Promise.all(Array.from({ length: 8 }, () => run('greedy').steps('chunk', 20)))
    const small = run('small')
    const waits: number[] = []
    for (let request = 0; request < 10; request += 1) {
      const before = batches.length
      await small.steps('chunk', 1)
      await small.steps('token', 4)
      const among = batches.slice(before).flatMap(({ steps }) => steps)
      waits.push(among.filter((tenant) => tenant === 'greedy').length)
      while (batches.length < (request + 1) * 12) await new Promise(setImmediate)
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(2)
    await greedy
  })

  it('is shared equally, and by weight, among those who always want it', async () => {
    const { run, usedMs, batches } = model()
    const end = Promise.all([
      ...Array.from({ length: 6 }, () => run('many').steps('chunk', 100)),
      run('one').steps('chunk', 100),
      run('heavy', 2).steps('chunk', 200),
    ])
    while (batches.length < 200) await new Promise(setImmediate)
    const one = usedMs('one')
    expect(Math.abs(usedMs('many') - one)).toBeLessThanOrEqual(3 * CHUNK_MS)
    expect(Math.abs(usedMs('heavy') - 2 * one)).toBeLessThanOrEqual(6 * CHUNK_MS)
    await end
  })

  it('is not saved up: who comes late has no more than a moment before the others', async () => {
    const { run, batches } = model()
    const busy = run('busy').steps('chunk', 100)
    while (batches.length < 50) await new Promise(setImmediate)
    const late = run('late').steps('chunk', 20)
    await late
    const after = batches.slice(50, 60).flatMap(({ steps }) => steps)
    expect(after.filter((tenant) => tenant === 'busy').length).toBeGreaterThanOrEqual(3)
    await busy
  })

  it('is equal for all after a moment in which nobody wanted it', async () => {
    const { run, batches } = model()
    const names = ['a', 'b', 'c', 'd']
    // As rounds of a benchmark: all begin together, and one of them ends long after the others.
    const round = (name: string, answers: number) =>
      run(name)
        .steps('chunk', 1)
        .then(() => run(name).steps('token', answers))
    await Promise.all(names.map((name) => round(name, name === 'd' ? 50 : 10)))
    await new Promise(setImmediate)
    const before = batches.length
    await Promise.all(names.map((name) => round(name, 10)))
    const firsts = batches.slice(before, before + names.length).map(({ steps }) => steps)
    expect(firsts.flat().toSorted()).toEqual(names)
  })

  it('is not left unused', async () => {
    const { run, now } = model()
    await run('only').steps('chunk', 10)
    expect(now()).toBe(10 * CHUNK_MS)
  })
})

describe('a batch of next tokens', () => {
  const answers = (tenant: string, count: number, one: ReturnType<typeof model>) =>
    Array.from({ length: count }, () => one.run(tenant).steps('token', 50))

  it('is shared by all where that costs little', async () => {
    const large = model({ tokenMs: (answers) => 100 + answers })
    await Promise.all([...answers('a', 1, large), ...answers('b', 7, large)])
    const widths = large.batches.map(({ steps }) => steps.length)
    expect(widths.filter((width) => width === 8).length).toBeGreaterThan(45)
  })

  it('takes at most twice as long by the answers of others', async () => {
    const small = model()
    await Promise.all([...answers('a', 1, small), ...answers('b', 7, small)])
    const ofA = small.batches.slice(8).filter(({ steps }) => steps.includes('a'))
    expect(ofA.length).toBeGreaterThan(40)
    for (const { steps } of ofA) {
      const own = steps.filter((tenant) => tenant === steps[0]).length
      expect(steps.length).toBeLessThanOrEqual(2 * own)
    }
  })

  it('is shared by accounts that would wait as long for each other', async () => {
    const small = model()
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.flatMap((name) => answers(name, 1, small)))
    const widths = small.batches.map(({ steps }) => steps.length)
    expect(widths.filter((width) => width === 4).length).toBeGreaterThan(45)
  })

  it('is wide where two answers take longer than their turns, and four do not', async () => {
    const kernels = model({ tokenMs: (answers) => [0, 12, 29, 33, 36][answers] ?? 9 * answers })
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.flatMap((name) => answers(name, 1, kernels)))
    const widths = kernels.batches.map(({ steps }) => steps.length)
    expect(widths.filter((width) => width === 4).length).toBeGreaterThan(45)
  })

  it('is shared by weight', async () => {
    const small = model()
    const light = Promise.all(['b', 'c', 'd'].map((name) => small.run(name).steps('token', 50)))
    await Promise.all([small.run('heavy', 6).steps('token', 50), light])
    const ofHeavy = small.batches.slice(8).filter(({ steps }) => steps[0] === 'heavy')
    expect(ofHeavy.length).toBeGreaterThan(10)
    for (const { steps } of ofHeavy) expect(steps.length).toBeLessThanOrEqual(2)
  })

  it('is shared by all where it is over in a moment, whatever each costs', async () => {
    const toy = model({ tokenMs: (answers) => TOY_TOKEN_MS * answers })
    await Promise.all([...answers('a', 1, toy), ...answers('b', 7, toy)])
    const widths = toy.batches.map(({ steps }) => steps.length)
    expect(widths.filter((width) => width === 8).length).toBeGreaterThan(45)
  })

  it.each([
    { drawMs: 6, modelMs: 1, shared: false },
    { drawMs: 6, modelMs: 20, shared: true },
    { drawMs: 1, modelMs: 0.5, shared: true },
  ])('takes along draws of $drawMs ms beside $modelMs ms of the model: $shared', async (costs) => {
    const { drawMs, modelMs, shared } = costs
    const usual = (await widthsBesideDraws({ drawMs, modelMs })).slice(5)
    const wide = usual.filter((width) => width === 4).length / usual.length
    // A free answer may join a batch that is another's turn: it would wait for it anyway.
    if (shared) expect(wide).toBeGreaterThan(0.9)
    else expect(wide).toBeLessThan(0.3)
  })

  it("takes turns with chunks of the same tenant's prompts", async () => {
    const { run, batches } = model()
    await Promise.all([run('a').steps('chunk', 4), run('a').steps('token', 4)])
    const spans = batches.map(({ atMs }, index) => atMs - (batches[index - 1]?.atMs ?? 0))
    expect(spans.map((ms) => (ms === CHUNK_MS ? 'chunk' : 'token')).join(' ')).toBe(
      'chunk token chunk token chunk token chunk token',
    )
  })
})

/**
 * Three answers of one tenant that are drawn under a grammar, and one free answer of another.
 *
 * @returns how many answers were in the batches of the free one
 */
async function widthsBesideDraws(costs: {
  readonly drawMs: number
  readonly modelMs: number
}): Promise<readonly number[]> {
  let nowMs = 0
  let batch: { tenants: string[]; computed: Promise<void>; drawn: Promise<void> } | null = null
  const turns = new BatchTurns(() => nowMs)
  const widthsOfFree: number[] = []
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const compute = async (tenant: string): Promise<void> => {
    if (batch === null) {
      const begun = { tenants: [] as string[], computed: nextTurn(), drawn: Promise.resolve() }
      begun.computed = begun.computed.then(() => {
        batch = null
        nowMs += costs.modelMs
        if (begun.tenants.includes('free')) widthsOfFree.push(begun.tenants.length)
      })
      // The draws of a batch go on at the same time.
      begun.drawn = begun.computed.then(nextTurn).then(() => {
        if (begun.tenants.includes('bound')) nowMs += costs.drawMs
      })
      batch = begun
    }
    batch.tenants.push(tenant)
    await (tenant === 'bound' ? batch.drawn : batch.computed)
  }
  const answer = async (tenant: string, tokens: number): Promise<void> => {
    const { signal } = new AbortController()
    const hasGrammar = tenant === 'bound'
    const run = { tenant, weight: 1, hasGrammar, stop: new StopRequest(signal) }
    for (let token = 0; token < tokens; token += 1) {
      await turns.step(run, 'token', () => compute(tenant))
    }
  }
  await Promise.all([
    ...['bound', 'bound', 'bound'].map((tenant) => answer(tenant, 200)),
    answer('free', 40),
  ])
  return widthsOfFree
}

describe('work of one tenant that another has to wait for', () => {
  it('is done at the turn of who waits, and charged to whose it is', async () => {
    const { turns, run, batches, compute } = model()
    const light = run('light', 10).steps('chunk', 30)
    const heavy = run('heavy').steps('chunk', 3)
    while (batches.length < 5) await new Promise(setImmediate)
    const before = batches.length
    await turns.alone('heavy', () => compute('copy', 'alone'), 'waiting')
    const ofCopy = batches.findIndex(({ steps }) => steps.includes('copy'))
    // One batch was begun, and another may have been chosen.
    expect(ofCopy - before).toBeLessThanOrEqual(2)
    await run('waiting').steps('chunk', 1)
    const ofWaiting = batches.findIndex(({ steps }) => steps.includes('waiting'))
    expect(ofWaiting - ofCopy).toBeLessThanOrEqual(2)
    const later = batches.slice(ofCopy + 1, ofCopy + 11).flatMap(({ steps }) => steps)
    expect(later).not.toContain('heavy')
    await Promise.all([light, heavy])
  })
})

describe('a run that waits for its turn', () => {
  it.each(['interrupted', 'asked to give way'])('leaves when it is %s', async (how) => {
    const { run } = model()
    const busy = run('busy').steps('chunk', 10)
    const waiting = run('busy')
    const done = waiting.steps('chunk', 10)
    if (how === 'interrupted') waiting.interrupt.abort()
    else waiting.stop.askToGiveWay()
    expect(await done).toBe(0)
    await busy
  })

  it('does not keep the next one from its turn when its work fails', async () => {
    const { turns, run } = model()
    const failing = turns.alone('a', () => Promise.reject(new Error('no room')))
    await expect(failing).rejects.toThrow('no room')
    expect(await run('b').steps('token', 1)).toBe(1)
  })
})

describe('the cost of a batch', () => {
  it('is what was measured of its width, and in between on the line', () => {
    const cost = new BatchCost()
    expect(cost.of(8)).toBe(0)
    cost.measured(2, 28)
    cost.measured(4, 36)
    expect([1, 2, 3, 4].map((answers) => cost.of(answers))).toEqual([14, 28, 32, 36])
  })

  it('is no more than that of a narrower one until it is measured', () => {
    const cost = new BatchCost()
    cost.measured(2, 20)
    expect(cost.of(8)).toBe(20)
    cost.measured(8, 80)
    expect(cost.of(8)).toBe(80)
  })

  it('follows what is measured', () => {
    const cost = new BatchCost()
    for (let batch = 0; batch < 100; batch += 1) cost.measured(8, 100)
    for (let batch = 0; batch < 100; batch += 1) cost.measured(8, 10)
    expect(cost.of(8)).toBeLessThan(11)
  })

  it('is forgotten where it was not measured for long, so that it is tried again', () => {
    const cost = new BatchCost()
    cost.measured(8, 1_000)
    for (let batch = 0; batch < 499; batch += 1) cost.measured(1, 10)
    expect(cost.of(8)).toBe(1_000)
    for (let batch = 0; batch < 2; batch += 1) cost.measured(1, 10)
    expect(cost.of(8)).toBe(10)
  })
})
