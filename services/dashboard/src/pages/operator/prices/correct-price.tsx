import type {
  CorrectedAccount,
  CorrectionProgress,
  CorrectionResult,
} from '@svc/contracts/admin/corrections'
import type { PriceDetails } from '@svc/contracts/admin/prices'
import { useState } from 'react'
import { useWork } from '../../../api/admin-lines.ts'
import { useOnceKey } from '../../../api/once-key.ts'
import { countText } from '../../../text/times.ts'
import { GivenName } from '../../../ui/given-name.tsx'
import { DecimalColumn, finestOf } from '../../../ui/money.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { ChangeForm } from '../change-form.tsx'
import { t } from '../operator-text.ts'
import { Progress } from '../running/progress.tsx'
import { WorkProblem } from '../running/work-buttons.tsx'
import { OldAndNew } from './old-and-new.tsx'
import { RateFields, type TypedRates } from './rate-fields.tsx'

export interface CorrectPriceProps {
  readonly price: PriceDetails
  readonly onClose: () => void
}

/** Sets right what requests were charged at a wrong price: first tried, then done. */
export function CorrectPrice({ price, onClose }: CorrectPriceProps) {
  const { input, cached_input, output, version } = price
  const [rates, setRates] = useState<TypedRates>({ input, cached_input, output })
  const [reason, setReason] = useState('')
  const [reviewed, setReviewed] = useState<string>()
  const work = useWork('correctPrice')
  const keyOf = useOnceKey()
  const asked = { version, ...rates, reason }
  const { progress, result } = work.newest as {
    readonly progress?: CorrectionProgress
    readonly result?: CorrectionResult
  }
  const isDone = result?.dry_run === false
  const isReviewed = reviewed === JSON.stringify(asked) && result?.dry_run === true
  const start = (isTrial: boolean) => {
    setReviewed(isTrial ? JSON.stringify(asked) : undefined)
    work.start({ ...asked, dry_run: isTrial, idempotency_key: keyOf(asked) })
  }
  return (
    <ChangeForm
      title={t('correctTitle', { version })}
      effect={t('correctEffect')}
      confirm={t(isReviewed ? 'correctNow' : 'review')}
      isDangerous={isReviewed}
      isPanel
      isDone={isDone}
      reason={reason}
      onReason={setReason}
      error={null}
      isPending={work.isRunning}
      preview={
        <>
          {work.isRunning && (
            <Progress
              label={t('correct')}
              share={progress === undefined ? null : shareOf(progress)}
            />
          )}
          <WorkProblem work={work} />
          {result !== undefined && (isDone || isReviewed) && (
            <Corrected result={result} accounts={work.lines.filter(isAccount)} />
          )}
        </>
      }
      onSubmit={() => start(!isReviewed)}
      onClose={onClose}
    >
      <RateFields rates={rates} onChange={setRates} />
    </ChangeForm>
  )
}

function isAccount(line: { readonly type: string }): line is CorrectedAccount {
  return line.type === 'account'
}

function shareOf({ accounts, total }: CorrectionProgress): number {
  return total === 0 ? 1 : accounts / total
}

interface CorrectedProps {
  readonly result: CorrectionResult
  readonly accounts: readonly CorrectedAccount[]
}

function Corrected({ result, accounts }: CorrectedProps) {
  const said = {
    accounts: countText(result.accounts),
    requests: countText(result.requests),
    problems: countText(result.problems),
  }
  const decimals = finestOf([result.amount, ...accounts.map(({ amount }) => amount)])
  const head = (
    <>
      <Head>{t('account')}</Head>
      <Head isNumber>{t('requests')}</Head>
      <Head isNumber isPinned>
        {t('changesBy')}
      </Head>
    </>
  )
  const foot = (
    <tr>
      <Cell colSpan={2}>
        <strong>{t('total')}</strong>
      </Cell>
      <Cell isNumber isPinned>
        <DecimalColumn amount={result.amount} decimals={decimals} />
      </Cell>
    </tr>
  )
  return (
    <>
      <OldAndNew before={result.old} after={result.new} />
      <Notice look={result.problems === 0 ? 'info' : 'warn'}>
        {t(result.dry_run ? 'correctionTried' : 'correctionDone', said)}
      </Notice>
      <Table label={t('accounts')} head={head} foot={foot}>
        {accounts.map((account) => (
          <tr key={account.account_id}>
            <Cell>
              <GivenName name={account.name} />
              {account.problem !== null && <p className="text-bad">{account.problem}</p>}
            </Cell>
            <Cell isNumber>{countText(account.requests)}</Cell>
            <Cell isNumber isPinned>
              <DecimalColumn amount={account.amount} decimals={decimals} />
            </Cell>
          </tr>
        ))}
      </Table>
    </>
  )
}
