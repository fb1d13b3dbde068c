/** The page, the dashboard and the alert rules name the metrics that there are. */
import { readFileSync } from 'node:fs'
import { errorCatalogue } from '@svc/contracts/errors'
import { wireFormats } from '@svc/contracts/events/account'
import { tokenClasses } from '@svc/contracts/tokens'
import { describe, expect, test } from 'vitest'
import { gatewayMetrics, metricCatalogue } from './catalogue.ts'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

/** Names that a query can use: a histogram has three for its one. */
const queryable = new Set(
  Object.entries(metricCatalogue).flatMap(([name, { kind }]) =>
    kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((tail) => name + tail) : [name],
  ),
)

const usedBy = (query: string): readonly string[] => query.match(/\b(?:svc|gen_ai)_[a-z_]+/g) ?? []

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

/** Prometheus gives them to every series that it scrapes. */
const LABELS_OF_A_TARGET = ['instance', 'job']
/** What Prometheus and every program with its client have. */
const NAMES_OF_OTHERS = ['up', 'process_start_time_seconds']

/** Where a sum, a share or a lag of it is shown, or it is for whoever looks for a cause. */
const NOT_ON_THE_DASHBOARD = [
  'svc_event_log_position',
  'svc_worker_cache_answer_tokens_read_total',
  'svc_worker_cache_tier_blocks',
  'svc_worker_cache_tier_hits_total',
  'svc_worker_cache_tier_misses_total',
  'svc_worker_cache_tier_writes_total',
  'svc_worker_info',
  'svc_worker_put_aside_bytes',
  'svc_worker_put_asides_total',
  'svc_worker_requests_ended_total',
]

const metricOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '')
const entryOf = (name: string) => metricCatalogue[metricOf(name)]
/** Values that a label has from the start, or by the code that writes it. */
const labelValues: Readonly<Record<string, readonly string[]>> = {
  outcome: ['finished', 'stopped', 'failed', 'refused', 'replayed', 'granted', 'repeated', 'dead'],
  code: Object.keys(errorCatalogue),
  format: wireFormats,
  class: tokenClasses,
  tier: ['l1', 'l2'],
  phase: ['prompt', 'decode'],
}

/** Fails where Prometheus would find nothing, and say nothing. */
function expectToFindSomething(query: string): void {
  const asked = usedBy(query)
  const others = NAMES_OF_OTHERS.filter((name) => query.includes(name))
  expect(asked.length + others.length, query).toBeGreaterThan(0)
  for (const name of asked) expect(queryable, query).toContain(name)
  const labels: readonly string[] = asked.flatMap((name) => [
    ...(entryOf(name)?.labels ?? []),
    ...(name.endsWith('_bucket') ? ['le'] : []),
  ])
  for (const [, names = ''] of query.matchAll(/\b(?:by|on|group_left) \(([^)]*)\)/g)) {
    for (const name of names.split(', ').filter(Boolean)) {
      expect([...labels, ...LABELS_OF_A_TARGET], query).toContain(name)
    }
  }
  for (const [, name = '', matchers = ''] of query.matchAll(/([a-z_]+)\{([^}]*)\}/g)) {
    const own = [...(entryOf(name)?.labels ?? []), ...LABELS_OF_A_TARGET]
    for (const [, label = '', value = ''] of matchers.matchAll(/(\w+)=~?"([^"]*)"/g)) {
      expect(own, query).toContain(label)
      const values = labelValues[label]
      if (values !== undefined) for (const each of value.split('|')) expect(values).toContain(each)
    }
  }
}

/** A counter is only meaningful over time, and a gauge only now. */
function expectKindsToFit(query: string): void {
  for (const [, name = ''] of query.matchAll(/\b(?:rate|increase)\((\w+)/g)) {
    expect(entryOf(name)?.kind, query).not.toBe('gauge')
  }
}

describe('the dashboard', () => {
  interface Panel {
    readonly id: number
    readonly title: string
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number }
  }
  const { panels } = JSON.parse(read('infra/grafana/svc.json')) as { panels: readonly Panel[] }
  const targets = panels.flatMap((panel) => panel.targets)

  test('asks only for metrics, labels and values that there are, in every panel', () => {
    expect(panels.length).toBeGreaterThan(20)
    for (const { expr } of targets) {
      expectToFindSomething(expr)
      expectKindsToFit(expr)
    }
  })

  test('shows every metric, but for those that others tell of', () => {
    const shown = new Set(targets.flatMap(({ expr }) => usedBy(expr)).map(metricOf))
    const left = Object.keys(metricCatalogue).filter((name) => !shown.has(name))
    expect(left.toSorted()).toEqual(NOT_ON_THE_DASHBOARD.toSorted())
  })

  test('names every series by labels that its query keeps', () => {
    for (const { expr, legendFormat } of targets) {
      const [, kept] = /\b(?:sum|max|min) by \(([^)]*)\)/.exec(expr) ?? []
      const isOne = kept === undefined && /^(sum|max|min|count|histogram_quantile)\(/.test(expr)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        expect(isOne, `${expr} names ${label}`).toBe(false)
        if (kept !== undefined) expect(kept.split(', '), expr).toContain(label)
      }
    }
  })

  test('tells workers and views of two servers apart', () => {
    const ofParts = targets.filter(({ legendFormat }) =>
      /\{\{(worker|projection)/.test(legendFormat),
    )
    expect(ofParts.length).toBeGreaterThan(10)
    for (const { legendFormat } of ofParts) expect(legendFormat).toContain('{{instance}}')
  })

  test('gives every panel a number and a place of its own', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(panels.length)
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
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

describe('the alert rules', () => {
  const file = read('infra/prometheus/svc-alerts.yml')
  const rules = file.split(/^ {6}- alert: /m).slice(1)
  const field = (rule: string, name: string) =>
    new RegExp(`^\\s+${name}: (.+)$`, 'm').exec(rule)?.[1] ?? ''
  const names = rules.map((rule) => /^\w+/.exec(rule)?.[0] ?? '')

  test('ask only for metrics, labels and values that there are', () => {
    expect(rules.length).toBeGreaterThan(15)
    for (const rule of rules) {
      expectToFindSomething(field(rule, 'expr'))
      expectKindsToFit(field(rule, 'expr'))
    }
  })

  test('say how urgent they are, of whom they speak, and what to do', () => {
    for (const rule of rules) {
      expect(field(rule, 'labels')).toMatch(/^\{ severity: (page|ticket) \}$/)
      expect(field(rule, 'summary').length, rule).toBeGreaterThan(20)
      expect(field(rule, 'do').length, rule).toBeGreaterThan(5)
    }
  })

  test('stand each with its urgency in the page that says what to do, and no other does', () => {
    const page = read('docs/how-to/watch-with-prometheus.md')
    const rows = page.matchAll(/^\| `(Svc\w+)` +\| (page|ticket) /gm)
    const urgencies = rules.map((rule) => /severity: (\w+)/.exec(rule)?.[1])
    expect([...rows].map(([, name, urgency]) => [name, urgency])).toEqual(
      names.map((name, at) => [name, urgencies[at]]),
    )
  })

  test('name only commands that there are, and what they take', () => {
    const page = read('docs/reference/cli.md')
    const commands = rules.flatMap((rule) => field(rule, 'do').match(/\bsvc( [a-z-]+){1,3}/g) ?? [])
    expect(commands.length).toBeGreaterThan(10)
    for (const command of commands) {
      const known = page.matchAll(/^\| `(svc[a-z -]*[a-z])/gm)
      const isKnown = [...known].some(([, name = '']) => `${command} `.startsWith(`${name} `))
      expect(isKnown, command).toBe(true)
    }
    for (const [option] of file.matchAll(/--[a-z-]+/g)) expect(page).toContain(option)
  })

  test('there is one for every state in which a part is unwell', () => {
    const states = Object.entries(metricCatalogue)
      .filter(([, { unit }]) => unit === '0 or 1')
      .map(([name]) => name)
    expect(states.length).toBeGreaterThan(5)
    for (const name of [...states, 'svc_holds_overdue', 'svc_quarantined_streams']) {
      expect(
        rules.some((rule) => usedBy(field(rule, 'expr')).includes(name)),
        name,
      ).toBe(true)
    }
  })
})
