/** Customers write to support with the id that their client shows them: that of an answer. */
import { idBody } from '@svc/contracts/ids'
import { finishedRequest, folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

const body = idBody(finishedRequest)

test.each([`chatcmpl-${body}`, `resp_${body}`, `msg_${body}`, `call_${body}_0`])(
  '%s names its request to explain and to refund',
  async (id) => {
    const { path } = await folderWithHistory()
    const run = (...args: string[]) => svc(['--data-dir', path, '--json', ...args])
    const explained = await run('explain', id)
    expect(explained.code, explained.err).toBe(0)
    expect(JSON.parse(explained.out)).toMatchObject({ id: finishedRequest })
    const refunded = await run('refund', id, '--reason', 'a mistake')
    expect(refunded.code, refunded.err).toBe(0)
    const again = await run('refund', finishedRequest, '--reason', 'a mistake')
    expect(again.err).toContain('Nothing of the charge is left')
  },
)
