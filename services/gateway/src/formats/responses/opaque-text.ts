/**
 * The fields that the format calls `encrypted_content`: text that a client carries for us and sends
 * back. There is nothing in it that its caller may not see, so it is encoded and not encrypted.
 */
const MARK = 'svc1.'

export function opaqueText(text: string): string {
  return MARK + Buffer.from(text, 'utf8').toString('base64url')
}

/** @returns undefined for what another service made */
export function readOpaqueText(content: string): string | undefined {
  if (!content.startsWith(MARK)) return undefined
  return Buffer.from(content.slice(MARK.length), 'base64url').toString('utf8')
}
