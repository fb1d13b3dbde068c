import { expect, test } from 'vitest'
import { isAddressOrNetwork, isOrigin, readPublicUrl } from './public-address.ts'

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://API.example.com:443/', 'https://api.example.com'],
  ['https://example.com:8443/llm//', 'https://example.com:8443/llm'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('%s is the address %s', (given, url) => {
  expect(readPublicUrl(given)).toBe(url)
})

test.each([
  '',
  'api.example.com',
  '//api.example.com',
  'ftp://example.com',
  'javascript:alert(1)',
  'https://user:password@example.com',
  'https://example.com/?a=b',
  'https://example.com/#a',
  'https://example.com/ v',
  'https://example.com/v1',
  'https://example.com/v1/',
])('%j is no public address', (given) => {
  expect(readPublicUrl(given)).toBeUndefined()
})

test.each(['10.0.0.7', '10.0.0.0/8', '0.0.0.0/0', '::1', 'fd00::/8', '::ffff:10.0.0.1'])(
  '%s can be trusted',
  (text) => expect(isAddressOrNetwork(text)).toBe(true),
)

test.each([
  '',
  'proxy',
  'loopback',
  '10.0.0',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '::/129',
  '10.0.0.0/255.0.0.0',
  'fe80::1%eth0',
])('%j cannot', (text) => expect(isAddressOrNetwork(text)).toBe(false))

test.each(['*', 'https://chat.example.com', 'http://localhost:3000', 'app://obsidian.md'])(
  '%j is an origin',
  (text) => expect(isOrigin(text)).toBe(true),
)

test.each(['', 'chat.example.com', 'https://chat.example.com/', 'https://', 'https://*.b.com'])(
  '%j is no origin',
  (text) => expect(isOrigin(text)).toBe(false),
)
