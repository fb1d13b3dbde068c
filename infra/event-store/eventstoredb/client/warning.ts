/** Takes what an operator should know of, in the way that the service logs. */
export type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void
