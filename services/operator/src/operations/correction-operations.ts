/** Mistakes made good, and what else changes of an account. */
import type { Caller } from '@svc/contracts/admin/caller'
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { refuseDuringBackup } from './log/backups.ts'
import { type OperationPorts, viewsCurrent } from './ports.ts'
import { correctionLines } from './price-correction/correction-lines.ts'
import { shownMovement } from './values/details.ts'
import { checkAccountId, readAmount, readPrice, readSignedAmount } from './values/input-values.ts'
import { readOptionalTime } from './values/rfc3339-times.ts'

type Corrections = Pick<
  OperationHandlers,
  | 'voidGrant'
  | 'refund'
  | 'adjust'
  | 'correctPrice'
  | 'closeAccount'
  | 'freezeAccount'
  | 'unfreezeAccount'
  | 'eraseTexts'
  | 'renameAccount'
  | 'setSpendPolicy'
  | 'renameKey'
>

export function correctionOperations(ports: OperationPorts, { actor }: Caller): Corrections {
  const { ledger } = ports
  const { administration } = ledger
  return {
    async voidGrant({ grant_id: grantId, ...input }) {
      const terms = { ...movementTerms(input, actor), grantId }
      return shownMovement(await administration.voidGrant(input.account_id, terms), input.dry_run)
    },
    async refund({ request_id: requestId, amount, ...input }) {
      const given = amount === null ? null : readAmount(amount)
      const terms = { ...movementTerms(input, actor), requestId, amount: given }
      return shownMovement(await administration.refund(input.account_id, terms), input.dry_run)
    },
    async adjust({ amount, category, ...input }) {
      const terms = { ...movementTerms(input, actor), amount: readSignedAmount(amount), category }
      return shownMovement(await administration.adjust(input.account_id, terms), input.dry_run)
    },
    async *correctPrice({ version, input, cached_input, output, from, to, ...asked }) {
      await viewsCurrent(ports, 'accounts')
      const { reason, reference, dry_run: dryRun, idempotency_key: idempotencyKey } = asked
      yield* correctionLines(ports, {
        version,
        rates: {
          input: readPrice(input, 'input'),
          cachedInput: readPrice(cached_input, 'cached_input'),
          output: readPrice(output, 'output'),
        },
        from: readOptionalTime(from, 'from') ?? undefined,
        to: readOptionalTime(to, 'to') ?? undefined,
        reason,
        reference,
        dryRun,
        idempotencyKey,
        actor,
      })
    },
    async closeAccount({ remainder, ...input }) {
      const terms = { ...movementTerms(input, actor), remainder }
      return shownMovement(await administration.close(input.account_id, terms), input.dry_run)
    },
    ...changeOperations(ports, actor),
  }
}

function changeOperations(
  {
    ledger: { administration },
    backups,
    keptAnswers,
  }: Pick<OperationPorts, 'ledger' | 'backups' | 'keptAnswers'>,
  actor: string,
): Omit<Corrections, 'voidGrant' | 'refund' | 'adjust' | 'correctPrice' | 'closeAccount'> {
  return {
    async freezeAccount(input) {
      const changed = await administration.freeze(input.account_id, changeTerms(input, actor))
      return { account_id: input.account_id, changed }
    },
    async unfreezeAccount(input) {
      const changed = await administration.unfreeze(input.account_id, changeTerms(input, actor))
      return { account_id: input.account_id, changed }
    },
    async eraseTexts({ dry_run: dryRun, ...input }) {
      if (!dryRun) refuseDuringBackup(backups)
      const forget = keptAnswers?.removeAll.bind(keptAnswers)
      const terms = { ...changeTerms(input, actor), dryRun, forget }
      const { texts } = await administration.erase(input.account_id, terms)
      return { account_id: input.account_id, texts, dry_run: dryRun }
    },
    async renameAccount({ name, ...input }) {
      const terms = { ...changeTerms(input, actor), name }
      const changed = await administration.renameAccount(input.account_id, terms)
      return { account_id: input.account_id, changed }
    },
    async setSpendPolicy({ spend_policy: spendPolicy, ...input }) {
      const terms = { ...changeTerms(input, actor), spendPolicy }
      const changed = await administration.setSpendPolicy(input.account_id, terms)
      return { account_id: input.account_id, changed }
    },
    async renameKey({ key_id: keyId, name, ...input }) {
      const terms = { ...changeTerms(input, actor), keyId, name }
      const changed = await administration.renameKey(input.account_id, terms)
      return { account_id: input.account_id, key_id: keyId, changed }
    },
  }
}

interface AskedInput {
  readonly account_id: string
  readonly reason: string
  readonly idempotency_key?: string | undefined
}

function changeTerms(input: AskedInput, actor: string) {
  const { account_id: accountId, reason, idempotency_key: idempotencyKey } = input
  checkAccountId(accountId)
  return { reason, idempotencyKey, actor }
}

function movementTerms(
  input: AskedInput & { readonly reference: string | null; readonly dry_run: boolean },
  actor: string,
) {
  const { reference, dry_run: dryRun } = input
  return { ...changeTerms(input, actor), reference, dryRun }
}
