import { expect, test } from 'vitest'
import { loggerTo } from './warning-logger.ts'

test('a person reads what a log has in fields: which view, and why', () => {
  const read: string[] = []
  const logger = loggerTo((warning) => read.push(warning))
  logger.info('nothing of note')
  logger.warn('views cannot follow')
  logger.warn({ view: 'usage', reason: 'its file is cut off' }, 'view file is damaged')
  logger.warn({ views: ['usage', 'accounts'] }, 'building again')
  logger.error({ stream: 'account-1', revision: 2 }, 'stream is damaged')
  logger.error({ reason: 'the store is away', attempts: 3 }, 'failed to read')
  expect(read).toEqual([
    'views cannot follow',
    'view file is damaged (usage): its file is cut off',
    'building again (usage, accounts)',
    'stream is damaged (account-1)',
    'failed to read: the store is away',
  ])
})
