/** Threads that compile callers' schemas: a bomb ends its own thread, and nobody else's plan. */
import { readdirSync, readFileSync } from 'node:fs'
import { ManualTime } from '@svc/testing/manual-time'
import { PLAIN } from '@svc/testing/protocol-client'
import { afterEach, describe, expect, it } from 'vitest'
import { defaultSchemaLimits, type SchemaLimits } from '../grammar/schema/schema-limits.ts'
import { CompileThreads, type CompileThreadsOptions } from './compile-threads.ts'

const COMPILE_MS = 250
/** Without the bounds that count work, only the clock is left. */
const UNBOUNDED: SchemaLimits = {
  bytesMax: Number.MAX_SAFE_INTEGER,
  alternativesMax: Number.MAX_SAFE_INTEGER,
  stepsMax: Number.MAX_SAFE_INTEGER,
  stacksMax: Number.MAX_SAFE_INTEGER,
}

let threads: CompileThreads
const logged: string[] = []
afterEach(() => threads.close())

const ALONE = { othersThan: () => false }

function start(limits: SchemaLimits, more: Partial<CompileThreadsOptions> = {}): void {
  threads = new CompileThreads({
    recent: ALONE,
    ...more,
    data: { familyName: 'hermes', chatTemplate: 'tool_calls <tool_call> "arguments"', limits },
    compileMs: COMPILE_MS,
    log: (_level, message) => logged.push(message),
  })
}

const compile = (tenant: string, schema: object) =>
  threads.compile(
    tenant,
    JSON.stringify({ ...PLAIN, outputFormat: { type: 'json_schema', schema } }),
  )

const small = { type: 'object', properties: { city: { enum: ['Oslo'] } } }
const properties = (count: number, schema: (index: number) => object) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema(index)]))
/** Minutes of work when nothing is counted. */
const bomb = {
  type: 'object',
  properties: properties(1000, (index) => ({ type: 'null', title: `${index}` })),
  minProperties: 250,
  maxProperties: 256,
}
/** Gigabytes when nothing is counted. */
const heavy = {
  properties: properties(900, () => ({ $ref: '#/$defs/long' })),
  $defs: { long: { const: 'x'.repeat(1_000_000) } },
}

describe('compiling threads', () => {
  it('make plans', async () => {
    start(defaultSchemaLimits)
    const plan = await compile('a', small)
    expect(plan.grammar).toContain('Oslo')
    expect(plan).toMatchObject({ grammarFrom: 'answer', callable: [] })
  })

  it('say what is refused, with the place and the field of the request', async () => {
    start(defaultSchemaLimits)
    const refused = compile('a', { properties: { age: { multipleOf: 3 } } })
    await expect(refused).rejects.toMatchObject({
      code: 'unsupported_schema',
      message: expect.stringContaining('properties.age.multipleOf'),
      details: { field: 'outputFormat' },
    })
  })

  it('refuse by the steps what would take long, without being ended', async () => {
    start(defaultSchemaLimits)
    logged.length = 0
    await expect(compile('a', bomb)).rejects.toMatchObject({
      code: 'unsupported_schema',
      message: expect.stringContaining('too many steps'),
    })
    expect(logged).toEqual([])
  })

  it('are ended by the clock where the steps do not, and another takes the place', async () => {
    start(UNBOUNDED)
    logged.length = 0
    for (let round = 0; round < 2; round += 1) {
      await expect(compile('a', bomb)).rejects.toMatchObject({
        code: 'unsupported_schema',
        message: `the schema: takes more than ${COMPILE_MS} ms to compile`,
      })
    }
    expect(logged.length).toBe(2)
    expect((await compile('a', small)).grammar).toContain('Oslo')
  })

  it('serve others while one tenant sends nothing but bombs', async () => {
    start(UNBOUNDED)
    await compile('victim', small)
    const bombs = Array.from({ length: 20 }, () => compile('flood', bomb).catch(() => 'refused'))
    let ended = 0
    for (const each of bombs) void each.then(() => (ended += 1))
    for (let index = 0; index < 5; index += 1) {
      const plan = await compile('victim', { ...small, title: `${index}` })
      expect(plan.grammar).toContain('Oslo')
    }
    // One thread is the bombs' at most, so the victim waited for none of them.
    expect(ended).toBeLessThan(10)
    await threads.close()
  })

  it('let a tenant rest after each plan while others come, and nobody else', async () => {
    const time = new ManualTime()
    start(defaultSchemaLimits, { recent: { othersThan: () => true }, timer: time })
    await compile('greedy', small)
    let isMade = false
    const next = compile('greedy', { ...small, title: 'next' }).then(() => (isMade = true))
    for (let index = 0; index < 5; index += 1) await compile(`other ${index}`, small)
    expect(isMade).toBe(false)
    await time.advance(COMPILE_MS)
    await next
  })

  it('are started again after pauses that grow where they die at the start', async () => {
    const time = new ManualTime()
    const startMs = time.nowMs()
    logged.length = 0
    threads = new CompileThreads({
      recent: ALONE,
      // A thread that cannot read its data dies before it is ready.
      data: { familyName: 'hermes', chatTemplate: null as never, limits: defaultSchemaLimits },
      compileMs: COMPILE_MS,
      timer: time,
      log: (_level, message) => logged.push(message),
    })
    const waiting = expect(compile('a', small)).rejects.toMatchObject({ code: 'queue_full' })
    for (const pauses of [1, 2, 3]) {
      await expect.poll(() => logged.length).toBe(pauses)
      await time.advance(100 * 2 ** (pauses - 1))
    }
    await waiting
    await expect(compile('a', small)).rejects.toMatchObject({ code: 'queue_full' })
    await expect.poll(() => logged.length).toBe(4)
    expect(new Set(logged)).toEqual(new Set(['schema compiler thread did not start, retrying']))
    expect(time.nowMs() - startMs).toBe(700)
  })

  it('do not take more memory than theirs', { timeout: 60_000 }, async () => {
    start({ ...UNBOUNDED })
    await expect(compile('a', heavy)).rejects.toMatchObject({ code: 'unsupported_schema' })
    expect((await compile('a', small)).grammar).toContain('Oslo')
  })
})

it.runIf(process.platform === 'linux')('gives way to threads that serve', async () => {
  start(defaultSchemaLimits)
  await compile('t', small)
  await expect.poll(() => nicenessOf('plan-compiler')).toEqual([10, 10])
})

/** Of this process's threads with this name. */
function nicenessOf(name: string): number[] {
  const threadsOf = '/proc/self/task'
  return readdirSync(threadsOf).flatMap((id) => {
    const [, comm, fields = ''] = /\((.*)\) (.*)/.exec(statOf(`${threadsOf}/${id}/stat`)) ?? []
    return comm === name ? [Number(fields.split(' ')[16])] : []
  })
}

function statOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
