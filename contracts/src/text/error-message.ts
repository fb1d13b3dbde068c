/** What something thrown says: JavaScript lets anything be thrown, not only errors. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
