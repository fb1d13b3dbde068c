/** Tells who caused an event, by its metadata; null where they do not say. */
export function actorOf(metadata: string): string | null {
  const { actor } = JSON.parse(metadata) as { readonly actor?: string }
  return actor ?? null
}
