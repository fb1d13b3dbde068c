/** Whether a sign-in may lead to an address: never to another site. */
export function isInside(to: unknown): to is string {
  return typeof to === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(to)
}

/** Where a sign-in leads to. */
export function signInSearch({ to }: { readonly to?: unknown }): { readonly to?: string } {
  return isInside(to) ? { to } : {}
}
