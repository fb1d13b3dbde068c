/** Settings that say how clients reach the server when something stands in front of it. */
import { BlockList, isIP } from 'node:net'

const SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:'])
const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 }

export const PUBLIC_URL_FORM = 'must be such as https://api.example.com, without /v1'
export const PROXIES_FORM =
  'must be addresses or networks such as 10.0.0.0/8,fd00::/8, separated by commas'
export const ORIGINS_FORM =
  'must be origins such as https://chat.example.com, without a path and separated by commas, or *'

/** @returns without a slash at its end; undefined for what is no base address */
export function readPublicUrl(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !SCHEMES.has(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '' || /[?#\s]/.test(text)) return undefined
  const path = url.pathname.replace(/\/+$/, '')
  return path.endsWith('/v1') ? undefined : url.origin + path
}

/** Whether it is the origin of pages, as browsers write it, or `*`. */
export function isOrigin(text: string): boolean {
  return text === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*,]+$/i.test(text)
}

/** Whether it is an address, or a network as address and number of bits. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0 || address.includes('%')) return false
  if (bits === undefined) return true
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (ADDRESS_BITS[family] ?? 0)) return false
  // Node has the last word on what a network is.
  new BlockList().addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4')
  return true
}
