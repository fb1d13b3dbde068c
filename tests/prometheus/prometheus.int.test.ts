/**
 * What we ship for Prometheus, in the hands of Prometheus' own tool: the configuration of the page,
 * the alert rules and what is played through them, every query of the dashboard, and our metrics.
 * Without `promtool` (Debian: prometheus) this is skipped and says so.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noQuarantine } from '@svc/contracts/ports/quarantine'
import { healthyStore } from '@svc/contracts/ports/store-health'
import { createMetrics } from '@svc/operator/metrics/metrics'
import { runToEnd } from '@svc/testing/bounded-run'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { afterAll, describe, expect, test } from 'vitest'
import { workspaceRoot } from '../rules/workspace.ts'

const RULES = join(workspaceRoot, 'infra/prometheus/svc-alerts.yml')
const isHere = runToEnd('promtool', ['--version']).status === 0

if (!isHere) {
  const isForgiven = process.env.CI === undefined
  test.skipIf(isForgiven)('[promtool is not installed] is not shown here', () => {
    expect(isHere).toBe(true)
  })
}

describe.skipIf(!isHere)('promtool', () => {
  const folder = makeTemporaryFolder()
  afterAll(() => folder.remove())
  const read = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8')
  const write = (name: string, text: string) => {
    const path = join(folder.path, name)
    writeFileSync(path, text)
    return path
  }
  const expectGood = (...words: string[]) => {
    const { status, stdout, stderr } = runToEnd('promtool', words)
    expect(`${status} ${stdout}${stderr}`).toMatch(/^0 /)
  }

  test('takes the configuration of the page, with the alert rules beside it', () => {
    const page = read('docs/how-to/watch-with-prometheus.md')
    const [, configuration = ''] = /```yaml\n(# prometheus\.yml[\s\S]*?)```/.exec(page) ?? []
    const token = write('metrics-token', 'secret')
    write('svc-alerts.yml', read('infra/prometheus/svc-alerts.yml'))
    const named = configuration.replace('/etc/prometheus/metrics-token', token)
    expect(named).toContain(token)
    expectGood('check', 'config', write('prometheus.yml', named))
  })

  test('sees each alert fire when its time has come, and none on a healthy server', () => {
    expectGood('check', 'rules', RULES)
    for (const played of ['.test.yml', '-days.test.yml']) {
      expectGood('test', 'rules', RULES.replace('.yml', played))
    }
  })

  test('reads every query of the dashboard', () => {
    const { panels } = JSON.parse(read('infra/grafana/svc.json')) as {
      panels: { targets: { expr: string }[] }[]
    }
    const records = panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }) => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m'))
      .map((expr, at) => `      - { record: "query:${at}", expr: ${JSON.stringify(expr)} }`)
    expect(records.length).toBeGreaterThan(30)
    const head = 'groups:\n  - name: dashboard\n    rules:\n'
    expectGood('check', 'rules', write('dashboard.yml', `${head}${records.join('\n')}\n`))
  })

  test('finds nothing to mend in our metrics', async () => {
    const metrics = createMetrics({
      fleet: { workers: [] },
      supervised: () => undefined,
      projections: {
        lastStatus: () => [],
        views: { accountTotals: () => ({ accounts: 0, openRequests: 0 }), holds: () => [] },
      },
      store: { lastPosition: async () => 0n },
      storeHealth: healthyStore,
      feed: undefined,
      quarantine: noQuarantine,
      clock: { nowMs: () => 0 },
      isReady: async () => true,
      freeBytes: async () => 1,
      backups: { last: () => undefined },
      auditTrail: { lastVerification: async () => undefined },
    })
    const input = await metrics.text()
    const { stdout, stderr } = runToEnd('promtool', ['check', 'metrics'], { input })
    // The names of Node.js programs are those of Prometheus' own client.
    const ours = `${stdout}${stderr}`.split('\n').filter((line) => !/^nodejs_|^$/.test(line))
    expect(ours).toEqual([])
  })
})
