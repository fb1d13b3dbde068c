/** These tests show which errors that nobody caught end a process. */
import { runToEnd } from '@svc/testing/bounded-run'
import { expect, test } from 'vitest'

const script = (failure: string) => `
  import { endOnDefects } from '${new URL('./defects.ts', import.meta.url)}'
  const say = (_, message) => console.log(message)
  endOnDefects({ error: say, fatal: say }, (error) => error.message === 'stray')
  setTimeout(() => console.log('lives'), 50)
  ${failure}
`
const rejected = (reason: string) => `Promise.reject(new Error('${reason}'))`
const thrown = (reason: string) => `setTimeout(() => { throw new Error('${reason}') }, 0)`

function run(failure: string) {
  const { status, stdout, stderr } = runToEnd(process.execPath, [
    ...['--input-type=module', '--eval', script(failure)],
  ])
  return { status, out: stdout.trim().split('\n'), stderr }
}

test.each([rejected('stray'), thrown('stray')])('a stray one is logged: %s', (failure) => {
  expect(run(failure)).toEqual({
    status: 0,
    out: ['unhandled error of the EventStoreDB client', 'lives'],
    stderr: '',
  })
})

test.each([rejected('a bug'), thrown('a bug')])('any other one is a defect: %s', (failure) => {
  expect(run(failure)).toEqual({
    status: 1,
    out: ['a defect: the server ends at once; start it again'],
    stderr: '',
  })
})
