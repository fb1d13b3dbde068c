import { describe, expect, test } from 'vitest'
import { addressText, isWorkerUrl, workerAddress } from './address.ts'

const SECRET = 'what gateway and worker share'

describe('the address of a worker', () => {
  test.each(['http://10.0.0.7:9090', 'http://worker.example', 'http://[::1]:9090', 'unix:/a b'])(
    'can be %s, and is shown so',
    (url) => {
      expect(isWorkerUrl(url)).toBe(true)
      const address = workerAddress(url, SECRET)
      expect(address && addressText(address)).toBe(url)
    },
  )

  test.each([
    '',
    'worker.example:9090',
    'https://worker.example',
    'http://',
    'http://worker.example/',
    'http://worker.example/path',
    'http://worker.example?a=b',
    'http://user:changeit@worker.example',
    'http://worker.example:99999',
    'http://one.example two.example',
    'unix:worker.sock',
    'unix:/',
    '/run/worker.sock',
  ])('cannot be "%s"', (url) => {
    expect(isWorkerUrl(url)).toBe(false)
  })

  test('needs a secret on TCP, and none on a socket of this machine', () => {
    expect(workerAddress('http://worker.example', undefined)).toBeUndefined()
    expect(workerAddress('unix:/run/worker.sock', undefined)).toEqual({
      kind: 'unix',
      path: '/run/worker.sock',
    })
  })
})
