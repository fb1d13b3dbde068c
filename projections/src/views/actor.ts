/** Who caused an event, as its metadata say; null where they do not. */
export function actorOf(metadata: string): string | null {
  const { actor } = JSON.parse(metadata) as { readonly actor?: string }
  return actor ?? null
}
