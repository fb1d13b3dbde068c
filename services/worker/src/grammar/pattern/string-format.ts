/**
 * The formats of strings that are enforced, each as a pattern of texts that all are of the format.
 * Where a format allows exotic forms, the pattern leaves them out: an answer never needs them.
 */
const DIGIT = '[0-9]'
const HEX = '[0-9a-fA-F]'

const leapYear = `(?:${DIGIT}{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)`
const date = [
  `${DIGIT}{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12]${DIGIT}|3[01])`,
  `${DIGIT}{4}-(?:0[469]|11)-(?:0[1-9]|[12]${DIGIT}|30)`,
  `${DIGIT}{4}-02-(?:0[1-9]|1${DIGIT}|2[0-8])`,
  `${leapYear}-02-29`,
].join('|')

const clock = `(?:[01]${DIGIT}|2[0-3]):[0-5]${DIGIT}`
const time = `${clock}:[0-5]${DIGIT}(?:\\.${DIGIT}{1,9})?(?:Z|[+-]${clock})`

const count = `${DIGIT}{1,4}`
const days = `${count}Y(?:${count}M(?:${count}D)?)?|${count}M(?:${count}D)?|${count}D`
const hours = `T(?:${count}H(?:${count}M(?:${count}S)?)?|${count}M(?:${count}S)?|${count}S)`
const duration = `P(?:${count}W|(?:${days})(?:${hours})?|${hours})`

const label = '[a-z0-9]+(?:-[a-z0-9]+)*'
const mailbox = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
const email = `${mailbox}(?:\\.${mailbox})*@(?:${label}\\.)+${label}`

const byte = `(?:25[0-5]|2[0-4]${DIGIT}|1${DIGIT}{2}|[1-9]?${DIGIT})`
const group = `${HEX}{1,4}`
const groups = (most: number): string =>
  most <= 0 ? '' : `(?:${group}(?::${group}){0,${most - 1}})?`
/** All eight groups, or `::` for two or more that are zero. */
const ipv6 = [
  `${group}(?::${group}){7}`,
  `::${groups(6)}`,
  ...[1, 2, 3, 4, 5, 6].map((left) => `${group}(?::${group}){${left - 1}}::${groups(6 - left)}`),
].join('|')

const uriCharacter = `(?:[a-zA-Z0-9._~!$&'()*+,;=:@-]|%${HEX}{2})`
const uri =
  `[a-z][a-z0-9+.-]*://[a-zA-Z0-9._~-]+(?::${DIGIT}{1,5})?(?:/${uriCharacter}*)*` +
  `(?:\\?(?:${uriCharacter}|[/?])*)?(?:#(?:${uriCharacter}|[/?])*)?`

export interface StringFormat {
  readonly pattern: string
  /** The most characters that a text may have, where the pattern does not say so itself. */
  readonly lengthMax: number | null
}

const format = (pattern: string, lengthMax: number | null = null): StringFormat => ({
  pattern: `^(?:${pattern})$`,
  lengthMax,
})

export const stringFormats: ReadonlyMap<string, StringFormat> = new Map([
  ['date', format(date)],
  ['time', format(time)],
  ['date-time', format(`(?:${date})T(?:${time})`)],
  ['duration', format(duration)],
  ['uuid', format(`${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`)],
  ['email', format(email)],
  // A name of at most 63 characters has no label above that length.
  ['hostname', format(`${label}(?:\\.${label})*`, 63)],
  ['ipv4', format(`(?:${byte}\\.){3}${byte}`)],
  ['ipv6', format(ipv6)],
  ['uri', format(uri)],
])

/** Formats that say how a text is used, and nothing about its form. */
export const formlessFormats: readonly string[] = ['password', 'binary', 'path']
