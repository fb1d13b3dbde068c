/**
 * Every operation of the operator, by name, and the interface that they make. The command line
 * speaks to this interface only: over the routes of a running server, or on the opened data folder
 * of a stopped one.
 */
import type { z } from 'zod'
import { accountOperations } from './accounts.ts'
import { billingOperations } from './billing.ts'
import { correctionOperations } from './corrections.ts'
import { creditOperations } from './credit.ts'
import type { Declaration, Shown } from './declaration/declaration.ts'
import { evidenceOperations } from './evidence.ts'
import { financeOperations } from './finance.ts'
import { backupOperations } from './log/backups.ts'
import { eventOperations } from './log/events.ts'
import { feedOperations } from './log/feed.ts'
import { projectionOperations } from './log/projections.ts'
import { verificationOperations } from './log/verification.ts'
import { priceOperations } from './prices.ts'
import { replayOperations } from './replay.ts'
import { tokenOperations } from './tokens.ts'
import { usageOperations } from './usage.ts'
import { userOperations } from './users.ts'
import { workerOperations } from './workers.ts'

export const adminOperations = {
  ...accountOperations,
  ...billingOperations,
  ...correctionOperations,
  ...creditOperations,
  ...evidenceOperations,
  ...financeOperations,
  ...priceOperations,
  ...verificationOperations,
  ...eventOperations,
  ...projectionOperations,
  ...feedOperations,
  ...backupOperations,
  ...usageOperations,
  ...workerOperations,
  ...tokenOperations,
  ...replayOperations,
  ...userOperations,
} satisfies Record<string, Declaration>

type Declarations = typeof adminOperations
export type OperationName = keyof Declarations
export const operationNames = Object.keys(adminOperations) as readonly OperationName[]

/** The input that a caller gives. */
export type OperationInput<Name extends OperationName> = z.input<Declarations[Name]['input']>
/** The answer that a caller gets: whole, or line by line. */
export type OperationOutput<Name extends OperationName> = Shown<Declarations[Name]['output']>

/** Refusals reject with a `ServiceError`; an unknown id is `not_found`. */
export type Operations = {
  readonly [Name in OperationName]: (...given: Given<OperationInput<Name>>) => Outcome<Name>
}

/**
 * The handlers of all operations. Each gets the input as the schema of the declaration leaves it.
 */
export type OperationHandlers = {
  readonly [Name in OperationName]: (
    ...given: Given<z.output<Declarations[Name]['input']>>
  ) => Outcome<Name>
}

type Outcome<Name extends OperationName> = Declarations[Name]['answer'] extends 'lines'
  ? AsyncIterable<OperationOutput<Name>>
  : Promise<OperationOutput<Name>>

/** An input that is all optional can be left out. A signal ends the lines. */
type Given<Input> =
  Record<never, never> extends Input
    ? [input?: Input, signal?: AbortSignal]
    : [input: Input, signal?: AbortSignal]
