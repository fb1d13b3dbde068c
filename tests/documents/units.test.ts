/** What the heads of the units of systemd have their readers do. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const unit = readFileSync(new URL('../../infra/systemd/svc.service', import.meta.url), 'utf8')

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
