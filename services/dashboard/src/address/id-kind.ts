/** What an id names, as its beginning tells. */
const beginnings = [
  ['account', /^acct_/],
  ['key', /^key_/],
  ['price', /^price_/],
  // What is in an answer, such as a call of a tool, has the characters of its request and a number.
  ['request', /^(req_|chatcmpl-|resp_|msg_|[a-z]{2,5}_[0-9a-z]{26}_i?\d+$)/],
  ['movement', /^(grant_|adj_|refund_)/],
  ['access', /^(tok_|usr_|link_)/],
  ['event', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
] as const
export type IdKind = (typeof beginnings)[number][0]

/** @returns undefined for text that begins like no id that can be looked up */
export function idKind(text: string): IdKind | undefined {
  return beginnings.find(([, beginning]) => beginning.test(text))?.[0]
}
