/** `docs/reference/configuration.md` lists what can be set: every name, its flag, its default. */

import { readFileSync } from 'node:fs'
import { startCommand } from '@svc/cli/commands/start'
import { formatExact } from '@svc/contracts/money'
import { defaultHttpLimits } from '@svc/gateway/http/limits'
import { limitOfSetting } from '@svc/server/settings/http-limits'
import { readSettings, settingNames } from '@svc/server/settings/settings'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../docs/reference/configuration.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `([A-Z_]+)` *\|([^|]*)\|([^|]*)\|/gm)].map(
  ([, name = '', flag = '', preset = '']) => ({
    name,
    flag: flag.replaceAll('`', '').trim(),
    preset: preset.replaceAll('`', '').trim(),
  }),
)

test('every setting has one row', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual([...settingNames].sort())
})

test('flags are those of "svc start"', () => {
  const flags = startCommand().options.flatMap(({ long, description }) => {
    const name = /\((SVC_\w+)\)/.exec(description)?.[1]
    return name === undefined ? [] : [`${name} ${long}`]
  })
  const documented = rows.flatMap(({ name, flag }) => (flag === '' ? [] : [`${name} ${flag}`]))
  expect(documented.sort()).toEqual(flags.sort())
})

test('defaults are those of the program, where it has one', () => {
  const limits = Object.entries(limitOfSetting).map(([name, limit]) => [
    name,
    defaultHttpLimits[limit],
  ])
  const defaults = { ...readSettings({}), ...Object.fromEntries(limits) }
  const documented = Object.fromEntries(rows.map(({ name, preset }) => [name, preset]))
  for (const [name, preset] of Object.entries(defaults)) {
    // Amounts alone are so large.
    const text = typeof preset === 'bigint' ? formatExact(preset) : preset
    expect(`${name}: ${documented[name]}`).toBe(`${name}: ${text}`)
  }
})
