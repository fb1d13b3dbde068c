/** Logs what an operator should know. */
export type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void
