import { describe, expect, test } from 'vitest'
import { ConnectionStringError } from './connection-options.ts'
import { hostsText, parseConnectionString } from './connection-string.ts'

describe('an address', () => {
  test('of one node gets our defaults for what it leaves out', () => {
    expect(parseConnectionString('esdb://host')).toEqual({
      hosts: [{ address: 'host', port: 2113 }],
      discover: false,
      credentials: undefined,
      options: {
        tls: true,
        tlsCAFile: undefined,
        userCertFile: undefined,
        userKeyFile: undefined,
        connectionName: undefined,
        nodePreference: 'leader',
        keepAliveInterval: 10_000,
        keepAliveTimeout: 5_000,
        gossipTimeout: 2,
        maxDiscoverAttempts: 1,
        discoveryInterval: 500,
        defaultDeadline: undefined,
        encoding: 'own',
      },
    })
  })

  test('keeps what it says', () => {
    const url =
      'esdb://a:1,b:2,c/?tls=false&KeepAliveInterval=20000&keepaliveTimeout=-1&gossipTimeout=3' +
      '&maxDiscoverAttempts=7&discoveryInterval=9&nodePreference=readOnlyReplica' +
      '&connectionName=a%20b&tlsCAFile=%2Fca%26.pem&throwOnAppendFailure=true&encoding=library'
    const settings = parseConnectionString(url)
    expect(hostsText(settings)).toBe('a:1,b:2,c:2113')
    expect(settings.options).toMatchObject({
      tls: false,
      keepAliveInterval: 20_000,
      keepAliveTimeout: -1,
      gossipTimeout: 3,
      maxDiscoverAttempts: 7,
      discoveryInterval: 9,
      nodePreference: 'read_only_replica',
      connectionName: 'a b',
      tlsCAFile: '/ca&.pem',
      encoding: 'library',
    })
  })

  test('of a cluster is searched for minutes, not for a second', () => {
    const { options } = parseConnectionString('esdb://a,b,c')
    expect(options.maxDiscoverAttempts).toBe(1_000)
    const discovered = parseConnectionString('esdb+discover://cluster.example')
    expect(discovered).toMatchObject({ discover: true, options: { maxDiscoverAttempts: 1_000 } })
  })

  test('gives user and password decoded, and no message repeats them', () => {
    const settings = parseConnectionString('esdb://us%3Aer:p%40s%2Fs%3F@host:2113/?tls=true')
    expect(settings.credentials).toEqual({ username: 'us:er', password: 'p@s/s?' })
    expect(hostsText(settings)).toBe('host:2113')
  })

  test.each([
    ['', 'esdb://'],
    ['kurrentdb://host', 'esdb://'],
    ['esdb://', 'name or name:port'],
    ['esdb://host:port', 'name or name:port'],
    ['esdb://host:70000', 'name or name:port'],
    ['esdb://a,,b', 'name or name:port'],
    [`esdb://${'a,'.repeat(40)}a`, 'hosts'],
    ['esdb://s3cret@host', 'percent-encoded'],
    ['esdb://user:s3cret:more@host', 'percent-encoded'],
    ['esdb://user:s3@cret@host', 'percent-encoded'],
    ['esdb://user:s3?cret@host', 'percent-encoded'],
    ['esdb://user:123?s3cret@host', 'percent-encoded'],
    ['esdb://user:s3%cret@host', '%25'],
    ['esdb://host?tls=no', 'tls'],
    ['esdb://host?', 'tls', 'opened'],
    ['esdb://host?tls', 'tls=VALUE'],
    ['esdb://host?tls=true?tls=true', 'percent-encoded'],
    ['esdb://host?unheard=1', 'not known'],
    ['esdb://host?keepAliveInterval=soon', 'whole number'],
    ['esdb://host?gossipTimeout=0', 'whole number'],
    ['esdb://host?nodePreference=best', 'leader, follower'],
    ['esdb://host?encoding=base64', 'own, library'],
    ['esdb://host?tlsVerifyCert=false', 'tlsCAFile'],
    ['esdb://host?throwOnAppendFailure=false', 'must stay true'],
    ['esdb://host?userCertFile=a.pem', 'need each other'],
    ['esdb://10.0.0.1', 'by its name'],
  ])('%s: what is wrong is said, without the password', (url, problem, opened?: string) => {
    const parse = () => parseConnectionString(url)
    if (opened !== undefined) return void parse()
    expect(parse).toThrow(ConnectionStringError)
    expect(parse).toThrow(problem)
    expect(parse).not.toThrow('s3')
  })
})
