import type { OperationInput } from '@svc/contracts/admin/operations'
import { messageOf } from '@svc/contracts/error-message'
import { DEFAULT_GRANT_PRIORITY } from '@svc/contracts/events/account'
import { formatExact, parseDollars } from '@svc/contracts/money'
import { useState } from 'react'
import { callAdmin } from '../../../../api/admin.ts'
import { ApiError } from '../../../../api/api-error.ts'
import { serverNow } from '../../../../api/server-clock.ts'
import { Choice, Field } from '../../../../ui/forms/field.tsx'
import { t } from '../../operator-text.ts'
import { type AskedChange, type BalanceChange, ReviewedChange } from '../../reviewed-change.tsx'
import type { AccountDialogProps } from './account-dialog.ts'

/** What can be read as dollars when it is neither too large nor too fine. */
const PLAIN = /^-?\d+(\.\d+)?$/

/** Credit for an account: paid for, or given. */
export function Grant({ account, onClose }: AccountDialogProps) {
  const [amount, setAmount] = useState('')
  const [category, setCategory] = useState<'paid' | 'promotional'>('paid')
  const [reference, setReference] = useState('')
  const [expires, setExpires] = useState('')
  const about = {
    account_id: account.account_id,
    amount,
    category,
    priority: DEFAULT_GRANT_PRIORITY,
    reference: reference === '' ? null : reference,
    expires_at: expires === '' ? null : new Date(`${expires}T00:00`).toISOString(),
  }
  const change = async ({ dry_run: isTrial, ...asked }: AskedChange) => {
    const given = positive(amount)
    if (isTrial) return reviewed(about, given)
    const { created: isNew } = await callAdmin('grant', { ...about, ...asked })
    const done = previewOf(account.settled, given)
    return isNew ? done : { ...done, balance_before: null }
  }
  return (
    <ReviewedChange
      title={t('grantTitle')}
      effect={t('grantEffect')}
      confirm={t('grant')}
      about={about}
      change={change}
      onClose={onClose}
    >
      <Field
        label={t('amountDollars')}
        name="amount"
        required
        autoFocus
        inputMode="decimal"
        value={amount}
        onChange={({ target }) => setAmount(target.value.trim())}
      />
      <Choice
        label={t('category')}
        value={category}
        options={[
          ['paid', t('categoryPaid')],
          ['promotional', t('categoryPromotional')],
        ]}
        onChoose={setCategory}
      />
      <Field
        label={t('reference')}
        name="reference"
        hint={t('referenceHint')}
        maxLength={200}
        value={reference}
        onChange={({ target }) => setReference(target.value)}
      />
      <Field
        label={t('expiresOn')}
        name="expires_at"
        hint={t('expiresHint')}
        type="date"
        value={expires}
        onChange={({ target }) => setExpires(target.value)}
      />
    </ReviewedChange>
  )
}

/** @throws {ApiError} also when it would expire on a day that is past */
async function reviewed(
  { account_id, expires_at: expiresAt }: Pick<OperationInput<'grant'>, 'account_id' | 'expires_at'>,
  given: bigint,
): Promise<BalanceChange> {
  if (expiresAt !== null && Date.parse(expiresAt) <= serverNow()) {
    throw refusalOf('expires_at', t('expiresInPast'))
  }
  // Not what the page shows: it may be from before a grant of somebody else.
  const { settled } = await callAdmin('showAccount', { account_id })
  return previewOf(settled, given)
}

/** A grant adds to what is settled, whatever it is spent on first. */
function previewOf(settled: string, given: bigint): BalanceChange {
  const after = formatExact(parseDollars(settled) + given)
  return { amount: formatExact(given), balance_before: settled, balance_after: after }
}

/** @throws {ApiError} when it is no amount, or not above zero */
function positive(amount: string): bigint {
  const given = parsed(amount)
  if (given > 0n) return given
  throw refusalOf('amount', t('amountNotPositive'))
}

function parsed(amount: string): bigint {
  if (!PLAIN.test(amount)) throw refusalOf('amount', t('amountNotPlain'))
  try {
    return parseDollars(amount)
  } catch (cause) {
    // The amount is too large or too fine, and the message says which.
    throw refusalOf('amount', messageOf(cause))
  }
}

/** Makes a refusal such as the server would send. */
function refusalOf(param: string, message: string): ApiError {
  return new ApiError({ status: 400, code: 'invalid_request', message, param })
}
