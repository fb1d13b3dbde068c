/** What planted bugs are made of: a part that does one thing otherwise, and the rest as before. */
import type { BusTopic } from '@svc/contracts/ports/bus'
import type { AppendOutcome, AppendRequest, EventStore } from '@svc/contracts/ports/event-store'
import type { Administration } from '@svc/ledger/administration'
import type { Ledger } from '@svc/ledger/ledger'

/** @returns the same object, but for these members */
function withChanged<Part extends object>(part: Part, changed: Partial<Part>): Part {
  return new Proxy(part, {
    get(target, name) {
      if (name in changed) return Reflect.get(changed, name)
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

export function withAppend(
  inner: EventStore,
  append: (request: AppendRequest) => Promise<AppendOutcome>,
): EventStore {
  return withChanged(inner, { append })
}

export function withLedger(inner: Ledger, changed: Partial<Ledger>): Ledger {
  return withChanged(inner, changed)
}

export function withAdministration(inner: Ledger, changed: Partial<Administration>): Ledger {
  return withChanged(inner, { administration: withChanged(inner.administration, changed) })
}

export function withTopic(inner: BusTopic, changed: Partial<BusTopic>): BusTopic {
  return withChanged(inner, changed)
}

/** Writes an event of a type otherwise than it was decided. */
export function rewriting(
  inner: EventStore,
  type: string,
  rewrite: (data: Record<string, unknown>) => Record<string, unknown>,
): EventStore {
  return withAppend(inner, (request) =>
    inner.append({
      ...request,
      events: request.events.map((event) =>
        event.type === type
          ? { ...event, data: JSON.stringify(rewrite(JSON.parse(event.data))) }
          : event,
      ),
    }),
  )
}
