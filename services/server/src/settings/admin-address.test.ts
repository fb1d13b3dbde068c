import { describe, expect, test } from 'vitest'
import { adminListenAt, readAdminAddress } from './admin-address.ts'

describe('an address of the operator', () => {
  test.each([
    ['127.0.0.1:9091', { host: '127.0.0.1', port: 9091 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['admin.internal:80', { host: 'admin.internal', port: 80 }],
  ])('%s is read', (text, address) => {
    expect(readAdminAddress(text)).toEqual(address)
  })

  test.each(['', '9091', 'host', ':9091', '::1:9091', '[no]:1', 'host:65536', 'http://host:1'])(
    '"%s" is none',
    (text) => {
      expect(readAdminAddress(text)).toBeUndefined()
    },
  )
})

describe('the operator listens', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('with customers on %s', (host) => {
    expect(adminListenAt(host, undefined)).toBeUndefined()
  })

  test.each(['0.0.0.0', '::', '192.0.2.7', 'svc.example'])('on loopback beside %s', (host) => {
    expect(adminListenAt(host, undefined)).toEqual({ host: '127.0.0.1', port: 0 })
  })

  test('where it is told to', () => {
    const given = { host: '192.0.2.7', port: 9091 }
    expect(adminListenAt('127.0.0.1', given)).toEqual(given)
  })
})
