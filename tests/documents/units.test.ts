/** What the units of systemd and the compose files do as the pages about them say. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const unit = textOf('infra/systemd/svc.service')
const cluster = textOf('infra/compose/cluster.yaml')

test('the user that calls svc beside the service is there, and may enter its folder', () => {
  const user = /^User=(.+)$/m.exec(unit)?.[1]
  expect(unit).toMatch(new RegExp(`^# .*useradd .* ${user}$`, 'm'))
  expect(unit).toMatch(
    new RegExp(`^# .*sudo -u ${user} /opt/svc/svc --data-dir /var/lib/svc/`, 'm'),
  )
  expect(unit).toMatch(/^StateDirectory=svc$/m)
  // Those of dynamic users lie in /var/lib/private, which only root enters outside of the unit.
  expect(unit).not.toMatch(/^DynamicUser=/m)
})

test('one server of the cluster sends the feed: another would send every event again', () => {
  expect(cluster.match(/^ +KAFKA_BROKERS:/gm)).toHaveLength(1)
  const [, shared = ''] = /^x-gateway: &gateway\n((?: .*\n)+)/m.exec(cluster) ?? []
  expect(shared).toContain('EVENTSTORE_URL')
  expect(shared).not.toContain('KAFKA')
})

test('the Redis of the cluster forgets as the page about it says', () => {
  const policy = /maxmemory-policy (\S+)/.exec(textOf('docs/how-to/run-several-workers.md'))?.[1]
  expect(cluster).toMatch(new RegExp(`--maxmemory-policy,\\s+${policy},`))
})
