import type { RunningPage, RunningQuery } from '@svc/projections/views'
import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { viewQuestionRoutes } from '../routes/view-questions.ts'
import { ForwardedCallers } from './forwarded-callers.ts'
import type { ViewQuestion, ViewServers } from './view-servers.ts'
import { runningElsewhere } from './views-elsewhere.ts'

const viewsSecret = 'of both'
const place = { deadline: 42, requestId: 'req_1' }
const row = { ...place, accountId: 'acct_1', gatewayId: 'gw_1' }

/** Asks the routes of a server of views, which is told these pages. */
function viewServers(runningRequests: (query: RunningQuery) => RunningPage) {
  const app = fastify()
  onTestFinished(() => app.close())
  const callers = new ForwardedCallers({ viewsSecret, viewsReached: async () => true })
  const usedKeys = { find: async () => undefined }
  app.register(viewQuestionRoutes({ usedKeys, runningRequests }, callers))
  const headers = { authorization: `Bearer ${viewsSecret}` }
  return serversOf(async ({ path }) => {
    const { statusCode, body } = await app.inject({ method: 'GET', url: path, headers })
    return { statusCode, body }
  })
}

function serversOf(
  answer: (
    question: ViewQuestion,
  ) => Promise<{ readonly statusCode: number; readonly body: string }>,
) {
  const ask = async (question: ViewQuestion) => {
    const { statusCode, body } = await answer(question)
    return { statusCode, body: { json: async () => JSON.parse(body), dump: async () => {} } }
  }
  return { ask } as unknown as Pick<ViewServers, 'ask'>
}

test('running requests are asked for page by page, each behind the one before', async () => {
  const asked: RunningQuery[] = []
  const servers = viewServers((query) => {
    asked.push(query)
    return { rows: [row], next: query.after === undefined ? place : undefined }
  })
  const first = await runningElsewhere(servers, { limit: 1 })
  expect(first).toEqual({ rows: [row], next: place })
  expect(await runningElsewhere(servers, { limit: 1, after: first.next })).toEqual({
    rows: [row],
    next: undefined,
  })
  expect(asked).toEqual([
    { limit: 1, after: undefined },
    { limit: 1, after: place },
  ])
})

test('a server of before there were pages gives its only one', async () => {
  const body = JSON.stringify({ rows: [row] })
  const servers = serversOf(async () => ({ statusCode: 200, body }))
  expect(await runningElsewhere(servers, { limit: 1 })).toEqual({ rows: [row], next: undefined })
})
