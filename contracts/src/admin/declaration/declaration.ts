/**
 * How an operation of the operator is declared: once. The HTTP routes, the client of a running
 * server and the OpenAPI document are made of the declarations, and so are the types that the
 * command line is held to. Whoever carries an operation out has one handler for it.
 *
 *     declaration ──▶ route ──▶ handler          a running server
 *          └────────▶ client                     who talks to one
 *          └────────▶ /openapi.json              who writes a client
 *
 * On the wire every name is in snake_case, amounts and prices are exact decimal text in dollars,
 * positions are decimal text, times are RFC 3339.
 */
import type { z } from 'zod'
import type { DeepReadonly } from '../../deep-readonly.ts'
import type { AdminRole } from '../../events/admin-tokens.ts'

export const ADMIN_PREFIX = '/admin/v1'

export interface Declaration {
  readonly method: 'GET' | 'POST'
  /**
   * The path behind the prefix. What `:name` does not take of the input is the query, or the body.
   */
  readonly path: string
  /** The least role that may. */
  readonly role: AdminRole
  /** Describes the operation to people in one line. */
  readonly summary: string
  readonly input: z.ZodObject
  readonly output: z.ZodType
  /**
   * Is set for an operation that shows customers' records: the fields of the input that say whose,
   * and from when to when. Who reads them with an admin token leaves an event behind.
   */
  readonly recorded?: readonly string[]
  /**
   * Says in one sentence what a repeat does. Is set for an operation that changes something and
   * needs no idempotency key: it asks for a state, and a repeat finds that state.
   */
  readonly repeat?: string
  /**
   * The answer is one JSON value, or newline-delimited JSON as long as it lasts: then `output` is
   * of a line.
   */
  readonly answer: 'json' | 'lines'
}

/** Checks the form of a declaration, and keeps its exact type. */
export function operation<const D extends Omit<Declaration, 'answer'>>(
  declaration: D,
): D & { readonly answer: 'json' } {
  return { ...declaration, answer: 'json' }
}

/** Does the same as {@link operation} for an operation that answers line by line. */
export function lineOperation<const D extends Omit<Declaration, 'answer'>>(
  declaration: D,
): D & { readonly answer: 'lines' } {
  return { ...declaration, answer: 'lines' }
}

/** The type of what a schema describes, which nobody may change. */
export type Shown<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>
