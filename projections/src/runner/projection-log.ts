/** Where the views report. A pino logger fits: messages are constant, what varies is in fields. */
export interface ProjectionLog {
  info(fields: ReportedFields, message: string): void
  warn(fields: ReportedFields, message: string): void
  error(fields: ReportedFields, message: string): void
}

export interface ReportedFields {
  readonly view?: string
  /** The projections, where the same happens to several of them. */
  readonly views?: readonly string[]
  readonly path?: string
  readonly threads?: number
  readonly reason?: string
}

/** Messages of several places: alerts search for them. */
export const CANNOT_FOLLOW = 'views cannot follow the event log, retrying'
export const FILE_DAMAGED = 'view file is damaged, rebuilding'
export const BUILDING_AGAIN = 'thread of a view build failed, building again'
export const BUILDING_WITHOUT_THREADS = 'thread of a view build failed, building without threads'
