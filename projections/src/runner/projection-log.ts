/** Where the views report. A pino logger fits. */
export interface ProjectionLog {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
