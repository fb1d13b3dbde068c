import { describe, expect, test } from 'vitest'
import { mistakesBetween } from './closest-name.ts'
import { foreignVariables, readSettings } from './settings.ts'

describe('the variables of clients', () => {
  test('are known to the server and change nothing', () => {
    const environment = { SVC_URL: 'http://127.0.0.1:8080', SVC_KEY: 'sk-svc-x' }
    expect(readSettings(environment)).toEqual(readSettings({}))
    expect(foreignVariables(environment)).toEqual([])
  })
})

describe('what Kubernetes injects', () => {
  const injected = (service: string) => ({
    [`${service}_SERVICE_HOST`]: '10.0.0.7',
    [`${service}_SERVICE_PORT`]: '80',
    [`${service}_SERVICE_PORT_HTTP`]: '80',
    [`${service}_PORT`]: 'tcp://10.0.0.7:80',
    [`${service}_PORT_80_TCP`]: 'tcp://10.0.0.7:80',
    [`${service}_PORT_80_TCP_PROTO`]: 'tcp',
    [`${service}_PORT_80_TCP_PORT`]: '80',
    [`${service}_PORT_80_TCP_ADDR`]: '10.0.0.7',
  })

  test.each(['SVC', 'SVC_REDIS', 'SVC_MAX'])('for a Service %s changes nothing', (service) => {
    const environment = injected(service)
    expect(readSettings(environment)).toEqual(readSettings({}))
    expect(foreignVariables(environment)).toEqual([])
  })

  test('leaves a port that was set by hand a setting', () => {
    expect(readSettings({ ...injected('SVC'), SVC_PORT: '9000' }).SVC_PORT).toBe(9000)
    expect(() => readSettings({ SVC_PORT: 'http://10.0.0.7' })).toThrow(/^SVC_PORT: must be/)
  })
})

test.each([
  ['SVC_MAX_REQUEST', 'SVC_MAX_REQUESTS'],
  ['SVC_PROT', 'SVC_PORT'],
  ['SVC_HOTS', 'SVC_HOST'],
  ['SVC_MODLE', 'SVC_MODEL'],
  ['SVC_EVENTSTORE_URL', 'EVENTSTORE_URL'],
  ['SVC_REDIS_URL', 'REDIS_URL'],
  ['SVC_MAX_BODY', 'SVC_MAX_BODY_BYTES'],
  ['SVC_SHUTDOWN_GRACE', 'SVC_SHUTDOWN_GRACE_MS'],
  ['SVC_MAX_REQUESTS_PER_KYE', 'SVC_MAX_REQUESTS_PER_KEY'],
])('%s is too like a setting to be ignored', (name, meant) => {
  const read = () => readSettings({ [name]: '1' })
  expect(read).toThrow(`${name} is not a setting of svc: did you mean ${meant}?`)
})

test.each([
  ['SVC_API_KEY', 'SVC_KEY'],
  ['SVC_BASE_URL', 'SVC_URL'],
  ['SVC_URI', 'SVC_URL'],
  ['SVC_TOKEN', 'SVC_OPERATOR_TOKEN'],
  ['SVC_MODEL_PATH', 'SVC_MODEL'],
  ['SVC_ENVIRONMENT', undefined],
  ['SVC_BUILD_NUMBER', undefined],
])('%s is ignored, and told of with a guess: %s', (name, meant) => {
  expect(readSettings({ [name]: 'x' })).toEqual(readSettings({}))
  expect(foreignVariables({ [name]: 'x', HOME: '/' })).toEqual([{ name, meant }])
})

test.each([
  ['SVC_PORT', '65536', 'must be a whole number from 0 to 65535'],
  ['SVC_PORT', '8o80', 'must be a whole number from 0 to 65535'],
  ['SVC_LOG_LEVEL', 'debgu', 'did you mean debug?'],
  ['SVC_LOG_LEVEL', 'WARN', 'did you mean warn?'],
  ['SVC_GPU', 'yes', 'must be one of off, auto, cuda, vulkan, metal'],
  ['SVC_HOST', '', 'must not be empty; without it the default is used'],
  ['SVC_WORKER_SECRET', 'short', 'must have 16 characters or more'],
])('%s: "%s" is refused in words of our own', (name, value, message) => {
  const read = () => readSettings({ [name]: value })
  expect(read).toThrow(new RegExp(`^${name}: .*${RegExp.escape(message)}`))
  expect(read).not.toThrow(/expected|invalid|too (big|small)/i)
})

test.each([
  ['', '', 0],
  ['PORT', 'PORT', 0],
  ['PROT', 'PORT', 1],
  ['POR', 'PORT', 1],
  ['PPORT', 'PORT', 1],
  ['PART', 'PORT', 1],
  ['', 'PORT', 4],
  ['KITTEN', 'SITTING', 3],
])('%s becomes %s by %i mistakes', (one, other, mistakes) => {
  expect(mistakesBetween(one, other)).toBe(mistakes)
  expect(mistakesBetween(other, one)).toBe(mistakes)
})
