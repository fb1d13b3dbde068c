/**
 * The place of a worker, as operators write it: `http://10.0.0.7:9090` or `unix:/run/worker.sock`.
 */

export type WorkerAddress =
  | { readonly kind: 'unix'; readonly path: string }
  /** @param url such as `http://10.0.0.7:9090`; the secret is shared with the worker */
  | { readonly kind: 'tcp'; readonly url: string; readonly secret: string }

/** An address that is a socket on this machine begins with this. */
const UNIX_SOCKET = 'unix:'
export const WORKER_URL_FORM = 'must be http://host:port or unix:/path/to/socket'

/** A path, a user or a query would have no effect: they are no part of an address. */
export function isWorkerUrl(url: string): boolean {
  if (url.startsWith(UNIX_SOCKET)) return /^unix:\/./.test(url)
  return /^http:\/\/[^/\\?#@\s]+$/.test(url) && URL.canParse(url)
}

/**
 * @param url one that {@link isWorkerUrl} takes
 * @param secret shared with all workers on TCP
 * @returns undefined when the secret is needed, and there is none
 */
export function workerAddress(url: string, secret: string | undefined): WorkerAddress | undefined {
  if (url.startsWith(UNIX_SOCKET)) return { kind: 'unix', path: url.slice(UNIX_SOCKET.length) }
  return secret === undefined ? undefined : { kind: 'tcp', url, secret }
}

/** An address for people, in the form in which it was written: without its secret. */
export function addressText(address: WorkerAddress): string {
  return address.kind === 'unix' ? `${UNIX_SOCKET}${address.path}` : address.url
}
