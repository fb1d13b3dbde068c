/** `svc events list` and `svc events tail`, on a data folder whose history is always the same. */
import { fillLog, folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { describe, expect, test } from 'vitest'

describe('events list', () => {
  test('beyond the end of the log says that there are none', async () => {
    const { path } = await folderWithHistory()
    const { code, err } = await svc(['--data-dir', path, 'events', 'list', '--after', '999'])
    expect(code).toBe(0)
    expect(err).toContain('there are no such events\n')
  })

  test('says when more follow, and where to go on', async () => {
    const { path } = await folderWithHistory()
    const list = ['--data-dir', path, 'events', 'list']
    const first = await svc([...list, '--limit', '5'])
    expect(first.out.trim().split('\n')).toHaveLength(6)
    expect(first.err).toContain('more events follow: --after 4, or --all\n')
    const json = JSON.parse((await svc([...list, '--json', '--limit', '5'])).out)
    expect(json).toMatchObject({ more: true, next: '4' })
    expect(json.events).toHaveLength(5)
    const rest = JSON.parse((await svc([...list, '--json', '--after', json.next])).out)
    expect(rest).toMatchObject({ more: false, next: null })
    expect(rest.events).toHaveLength(7)
  })

  test('writes all of them, as CSV and as lines of JSON', async () => {
    const { path } = await folderWithHistory()
    await fillLog(path, 1_200)
    const list = ['--data-dir', path, 'events', 'list', '--all', '--stream', 'audit']
    const csv = (await svc([...list, '--format', 'csv'])).out.trimEnd().split('\r\n')
    expect(csv).toHaveLength(1_201)
    expect(csv[0]).toBe('position,stream,revision,type,id,hash,data,metadata')
    const lines = (await svc([...list, '--format', 'jsonl'])).out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).revision)).toEqual(lines.map((_, i) => i))
    expect(lines).toHaveLength(1_200)
    const { code, err } = await svc([...list, '--limit', '5'])
    expect([code, err]).toEqual([2, expect.stringContaining('cannot be used with')])
  })
})

describe('events tail', () => {
  test('prints what comes, until it is stopped', async () => {
    const { path } = await folderWithHistory()
    const stop = new AbortController()
    const tail = await svc(['--data-dir', path, '--json', 'events', 'tail', '--after', '0'], {
      signal: stop.signal,
      onOut: (text) => text.includes('RequestFailed') && stop.abort(),
    })
    const types = tail.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(types).toHaveLength(11)
    expect(types.at(-1)).toBe('RequestFailed')
    const { out } = await svc([
      '--data-dir',
      path,
      '--json',
      'events',
      'list',
      '--type',
      'CreditDebited',
    ])
    expect(JSON.parse(out).events).toHaveLength(2)
  })

  test('ends after as many as are asked for', async () => {
    const { path } = await folderWithHistory()
    const words = ['--data-dir', path, '--json', 'events', 'tail', '--after', '2']
    const { out, code } = await svc([...words, '--limit', '2'])
    const positions = out.matchAll(/"position":"(\d+)"/g).map(([, position]) => position)
    expect([code, ...positions]).toEqual([0, '3', '4'])
    expect((await svc([...words, '--limit', '0'])).code).toBe(2)
  })
})
