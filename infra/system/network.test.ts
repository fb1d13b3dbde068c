import { expect, test } from 'vitest'
import { networkOf, networksOf } from './network.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s is of %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test.each([
  ['10.1.2.3', true],
  ['11.0.0.1', false],
  ['192.0.2.7', true],
  ['::ffff:192.0.2.7', true],
  ['192.0.2.8', false],
  ['2001:db8::1', true],
  ['2001:db9::1', false],
  ['', false],
  ['nonsense', false],
])('whether %j lies in one of the networks: %s', (address, lies) => {
  const isOurs = networksOf(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])
  expect(isOurs(address)).toBe(lies)
})
