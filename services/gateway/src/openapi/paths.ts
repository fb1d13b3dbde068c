/**
 * Every route that callers with a key have, with the contracts of its body and its answers, in the
 * order in which the document lists them.
 */
import { billingOperations } from './paths/billing.ts'
import { evidenceOperations } from './paths/evidence.ts'
import { inferenceOperations } from './paths/inference.ts'
import type { Operation } from './paths/operation.ts'

export const operations: readonly Operation[] = [
  ...inferenceOperations,
  ...billingOperations,
  ...evidenceOperations,
]
