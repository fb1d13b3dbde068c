/** @throws when the key had been made before: then its secret is not told again */
export function secretOf({ secret }: { readonly secret: string | null }): string {
  if (secret === null) throw new Error('the key had been made before')
  return secret
}
