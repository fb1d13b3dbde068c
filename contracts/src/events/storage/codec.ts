/** Events to stored text and back: the one place where bigint money meets JSON. */
import { type ZodType, z } from 'zod'
import type { NewEvent, RecordedEvent } from '../../ports/event-store.ts'
import { type AccountEvent, accountEventSchemas } from '../account.ts'
import { type AdminTokenEvent, adminTokenEventSchemas } from '../admin-tokens.ts'
import { type AuditEvent, auditEventSchemas } from '../audit.ts'
import { type EvidenceEvent, evidenceEventSchemas } from '../evidence.ts'
import { type PricingEvent, pricingEventSchemas } from '../pricing.ts'
import { type UserEvent, userEventSchemas } from '../users.ts'
import { type VerificationEvent, verificationEventSchemas } from '../verifications.ts'
import { currentVersion, upcast } from './upcast.ts'

export type DomainEvent =
  | AccountEvent
  | PricingEvent
  | AdminTokenEvent
  | AuditEvent
  | UserEvent
  | EvidenceEvent
  | VerificationEvent

/** The schemas of every type of event, whatever its stream. */
export const eventSchemas = {
  ...accountEventSchemas,
  ...pricingEventSchemas,
  ...adminTokenEventSchemas,
  ...auditEventSchemas,
  ...userEventSchemas,
  ...evidenceEventSchemas,
  ...verificationEventSchemas,
} as const

/**
 * Tells who and what an event comes from. It is stored beside the data, and the hash chain covers
 * it.
 */
const eventMetadata = z.object({
  schemaVersion: z.int().min(1),
  /** The request, grant, key … that the event belongs to. */
  correlationId: z.string(),
  /** The event or command that caused this one. */
  causationId: z.string(),
  /** The actor that caused the event, as `events/actors.ts` names it. */
  actor: z.string(),
})
export type EventMetadata = z.output<typeof eventMetadata>

const schemas: ReadonlyMap<string, ZodType> = new Map(Object.entries(eventSchemas))

/**
 * Writes an event as it is stored. @param id from `eventId`: deterministic, so that a retry is
 * recognised
 *
 * The schema is not run here. What events are made of was parsed where it came in (the wire, the
 * worker's meter, the operator's commands), and the deciders are typed from there on; a second look
 * costs 4 µs for each event, a tenth of the ledger's throughput. That everything it writes can be
 * read again is shown by tests instead: they decode every event of every history that they make.
 */
export function encodeEvent(
  id: string,
  event: DomainEvent,
  origin: Omit<EventMetadata, 'schemaVersion'>,
): NewEvent {
  const metadata: EventMetadata = { ...origin, schemaVersion: currentVersion(event.type) }
  return {
    id,
    type: event.type,
    data: JSON.stringify(withMoneyAsText(event.data)),
    metadata: JSON.stringify(metadata),
  }
}

/**
 * Reads a stored event, upcast to the current version. @throws when it is no event of this program
 */
export function decodeEvent(recorded: NewEvent): DomainEvent {
  const { type, data } = recorded
  const { schemaVersion } = decodeMetadata(recorded)
  return checkedEvent(type, upcast(type, schemaVersion, JSON.parse(data)))
}

/**
 * An event of data that somebody has parsed and upcast already, as `readStored` does: its schema is
 * run, and its money becomes numbers. @throws when it is no event of this program
 */
export function checkedEvent(type: string, data: unknown): DomainEvent {
  const schema = schemas.get(type)
  if (schema === undefined) throw new RangeError(`unknown event type "${type}"`)
  return { type, data: schema.parse(data) } as DomainEvent
}

export function decodeMetadata(recorded: Pick<RecordedEvent, 'metadata'>): EventMetadata {
  return eventMetadata.parse(JSON.parse(recorded.metadata))
}

/** A copy takes half the time of `JSON.stringify` with a function that is called for each value. */
function withMoneyAsText(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withMoneyAsText)
  const parts = value as Readonly<Record<string, unknown>>
  const copy: Record<string, unknown> = {}
  for (const key in parts) copy[key] = withMoneyAsText(parts[key])
  return copy
}
