/** Workers that drain, and serve again. */
import { describe, expect, test } from 'vitest'
import {
  fingerprint,
  nameOf,
  poolOf,
  SOON,
  startWorker,
  tenant,
} from '../../../testing/scripted-pool.ts'

const wanted = { tenant, fingerprint, blocks: [] }

describe('a worker that drains', () => {
  test('gets no requests until it is told to serve again', async () => {
    const aside = await startWorker('aside')
    const pool = await poolOf([aside, await startWorker('other')])
    expect(await pool.drain('aside', true)).toMatchObject({ status: 'draining' })
    const names = await Promise.all([0, 1, 2].map(() => nameOf(pool.lease(wanted))))
    expect(names).toEqual(['other', 'other', 'other'])
    expect(pool.pick({ tenant }).worker.workerId).toBe('other')
    expect(await pool.drain('aside', false)).toMatchObject({ status: 'ready' })
    expect(await nameOf(pool.lease(wanted))).toBe('aside')
    expect(aside.drainOrders).toEqual([true, false])
  })

  test('is told two orders one after the other, and does what the last one says', async () => {
    const aside = await startWorker('aside')
    const pool = await poolOf([aside])
    await Promise.all([pool.drain('aside', true), pool.drain('aside', false)])
    expect(aside.drainOrders).toEqual([true, false])
    expect(pool.workers[0]?.ready).toBe(true)
  })

  test('drains on when it is started again', async () => {
    const aside = await startWorker('aside')
    const pool = await poolOf([aside])
    await pool.drain('aside', true)
    await aside.close()
    await aside.listen()
    expect(aside.status).toBe('ready')
    await expect.poll(() => pool.workers[0]?.health?.instanceId, SOON).toBe(aside.instanceId)
    expect(pool.workers[0]?.ready).toBe(false)
    expect(aside.drainOrders).toEqual([true, true])
  })

  test('serves, told to, also after it was started again', async () => {
    const standby = await startWorker('standby', { drained: true })
    const pool = await poolOf([standby])
    expect(pool.workers[0]?.ready).toBe(false)
    await pool.drain('standby', false)
    expect(pool.workers[0]?.ready).toBe(true)
    await standby.close()
    await expect.poll(() => pool.workers[0]?.ready, SOON).toBe(false)
    await standby.listen()
    expect(await pool.whenReady(5_000)).toBe(true)
    expect(standby.drainOrders).toEqual([false, false])
  })

  test('runs first what it alone has prepared', async () => {
    const old = await startWorker('old')
    const pool = await poolOf([old, await startWorker('new', { fingerprint: 'another model' })])
    const draining = pool.drain('old', true)
    expect(pool.pick({ tenant }).worker.workerId).toBe('new')
    expect(await nameOf(pool.lease(wanted))).toBe('old')
    await draining
    await expect(pool.lease(wanted)).rejects.toMatchObject({ code: 'server_is_overloaded' })
  })

  test('that cannot be told, or is not there: the reason, and nothing changes', async () => {
    const gone = await startWorker('gone')
    const pool = await poolOf([gone])
    await expect(pool.drain('nobody', true)).rejects.toMatchObject({ code: 'not_found' })
    await gone.close()
    await expect(pool.drain('gone', true)).rejects.toMatchObject({ code: 'unreachable' })
    await gone.listen()
    expect(await pool.whenReady(5_000)).toBe(true)
    expect(gone.drainOrders).toEqual([])
  })
})
