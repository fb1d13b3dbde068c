/** The page, the dashboard and the alert rules name the metrics that there are. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { gatewayMetrics, metricCatalogue } from './catalogue.ts'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

/** Names that a query can use: a histogram has three for its one. */
const queryable = new Set(
  Object.entries(metricCatalogue).flatMap(([name, { kind }]) =>
    kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((tail) => name + tail) : [name],
  ),
)

const usedBy = (query: string) => query.match(/\b(?:svc|gen_ai)_[a-z_]+/g) ?? []

test('the reference page has every metric as it is, and no other', () => {
  const rows = read('docs/reference/metrics.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name = '', ...cells]) => [name.replaceAll('`', ''), ...cells.slice(0, -1)])
  const expected = Object.entries(metricCatalogue).map(([name, { kind, labels, unit, help }]) => {
    return [name, kind, labels.map((label) => `\`${label}\``).join(', '), unit, help]
  })
  expect(rows).toEqual(expected)
})

test('names tell the kind and the unit, as Prometheus has it', () => {
  for (const [name, { kind, unit }] of Object.entries(metricCatalogue)) {
    expect(name.endsWith('_total'), name).toBe(kind === 'counter')
    if (unit === 'seconds') expect(name).toMatch(/_seconds$/)
    if (unit === 'bytes') expect(name).toMatch(/_bytes(_max)?$/)
  }
})

test('no label can name a customer, a key or a request', () => {
  const labels = Object.values(metricCatalogue).flatMap((entry) => entry.labels)
  for (const label of labels) expect(label).not.toMatch(/account|tenant|key|request|id$/)
})

test('the conventional metrics of a server are there by their names', () => {
  expect(Object.keys(gatewayMetrics)).toEqual(
    expect.arrayContaining([
      'gen_ai_server_request_duration_seconds',
      'gen_ai_server_time_to_first_token_seconds',
      'gen_ai_server_time_per_output_token_seconds',
    ]),
  )
})

describe('the dashboard', () => {
  interface Panel {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
    readonly gridPos: { readonly x: number; readonly w: number }
  }
  const { panels } = JSON.parse(read('infra/grafana/svc.json')) as { panels: readonly Panel[] }

  test('asks only for metrics that there are, in every panel', () => {
    expect(panels.length).toBeGreaterThan(10)
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const names = usedBy(expr)
        expect(names.length, `${title}: ${expr}`).toBeGreaterThan(0)
        for (const name of names) expect(queryable, `${title}: ${expr}`).toContain(name)
      }
    }
  })

  test('shows counters as rates, and only the alarm as a sum', () => {
    const bare = panels.flatMap(({ title, targets }) =>
      targets
        .filter(({ expr }) => /_total\b/.test(expr) && !/(rate|increase)\(/.test(expr))
        .map(() => title),
    )
    expect(bare).toEqual(['Meter mismatches'])
  })
})

test('the alert rules ask only for metrics that there are', () => {
  const page = read('docs/how-to/watch-with-prometheus.md')
  const rules = [...page.matchAll(/^\s+expr: (.+)$/gm)].map(([, expr = '']) => expr)
  expect(rules).toHaveLength(3)
  for (const rule of rules) {
    expect(usedBy(rule).length).toBeGreaterThan(0)
    for (const name of usedBy(rule)) expect(queryable, rule).toContain(name)
  }
})
