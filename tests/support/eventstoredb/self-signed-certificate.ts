/**
 * A certificate for the loopback that is its own authority, made anew whenever it is needed: so no
 * key lies in the repository, and no test ends on the day a certificate does.
 *
 * Node.js signs but makes no certificates, so the few fields of X.509 (RFC 5280) are written here.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { ServerIdentity } from './grpc-server.ts'

const DAY_MS = 86_400_000

/** The tags of DER that are needed. */
const BOOLEAN = 0x01
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const SEQUENCE = 0x30
const SET = 0x31
const VERSION = 0xa0
const EXTENSIONS = 0xa3
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87

const COMMON_NAME = '550403'
const SUBJECT_ALTERNATIVE_NAME = '551d11'
const BASIC_CONSTRAINTS = '551d13'
const ECDSA_WITH_SHA256 = '2a8648ce3d040302'

/** Valid for `localhost` and 127.0.0.1 from yesterday until tomorrow. Both are PEM. */
export function makeSelfSignedCertificate(): ServerIdentity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(SET, sequence(identifier(COMMON_NAME), der(UTF8_STRING, 'localhost'))))
  const algorithm = sequence(identifier(ECDSA_WITH_SHA256))
  const names = sequence(der(DNS_NAME, 'localhost'), der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])))
  const isAuthority = sequence(der(BOOLEAN, Buffer.from([0xff])))
  const body = sequence(
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      EXTENSIONS,
      sequence(
        extension(SUBJECT_ALTERNATIVE_NAME, names),
        extension(BASIC_CONSTRAINTS, isAuthority),
      ),
    ),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)])
  const certificate = sequence(body, algorithm, der(BIT_STRING, signature))
  return {
    certificate: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function extension(id: string, content: Buffer): Buffer {
  return sequence(identifier(id), der(OCTET_STRING, content))
}

function identifier(hex: string): Buffer {
  return der(OBJECT_IDENTIFIER, Buffer.from(hex, 'hex'))
}

/** As in `260131120000Z`. */
function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, '')
  return der(UTC_TIME, `${digits.slice(2, 14)}Z`)
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(SEQUENCE, Buffer.concat(parts))
}

/** A tag, the length of what follows, and what follows. */
function der(tag: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(bytes.length)]), bytes])
}

/** In as few bytes as hold it, as DER demands. */
function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

function pem(label: string, bytes: Buffer): string {
  const lines =
    bytes
      .toString('base64')
      .match(/.{1,64}/g)
      ?.join('\n') ?? ''
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}
