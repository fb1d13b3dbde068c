import type { Receipt as Data } from '@svc/contracts/wire/billing'
import { unpaidOf } from '@svc/contracts/wire/unpaid'
import type { ReactNode } from 'react'
import { countText, durationText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { CopyButton } from '../../ui/copying/copy-button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { ExactMoney } from '../../ui/money.tsx'
import { ReceiptEvents } from './receipt-events.tsx'
import { ReceiptLines, type ReceiptLinesProps } from './receipt-lines.tsx'
import { RequestStatus } from './request-status.tsx'

/** A request from its state to the events that prove it. */
export function Receipt({ receipt }: ReceiptLinesProps) {
  const { id, status, model, format, key_id: keyId, key_name: keyName, timings, reason } = receipt
  return (
    <div className="flex flex-col gap-6 text-sm">
      <dl className="grid grid-cols-[max-content_1fr] items-baseline gap-x-4 gap-y-1">
        <Fact name={t('request')}>
          <code className="wrap-anywhere">{id}</code> <CopyButton look="bare" text={id} />
        </Fact>
        <Fact name={t('status')}>
          <RequestStatus status={status} />
        </Fact>
        {reason !== null && <Fact name={t('reason')}>{reason}</Fact>}
        <Fact name={t('key')}>
          <bdi>{keyName ?? keyId}</bdi>
        </Fact>
        <Fact name={t('model')}>
          {model} ({format})
        </Fact>
        <Fact name={t('accepted')}>
          <Moment at={timings.accepted_at} />
        </Fact>
        <Fact name={t('ended')}>
          {timings.ended_at === null ? '–' : <Moment at={timings.ended_at} />}
        </Fact>
        <Latencies worker={timings.worker} />
      </dl>
      <ReceiptLines receipt={receipt} />
      <Credit receipt={receipt} />
      {receipt.cache !== null && <CacheEvidence cache={receipt.cache} />}
      <ReceiptEvents events={receipt.events} />
    </div>
  )
}

function Latencies({ worker }: { readonly worker: Data['timings']['worker'] }) {
  if (worker === null) return null
  return (
    <>
      <Fact name={t('waited')}>{durationText(worker.queueMs)}</Fact>
      {worker.firstTokenMs !== null && (
        <Fact name={t('firstToken')}>{durationText(worker.firstTokenMs)}</Fact>
      )}
      <Fact name={t('took')}>{durationText(worker.totalMs)}</Fact>
    </>
  )
}

/** Which credit paid, what was left behind it, and what came back since. */
function Credit({ receipt }: { readonly receipt: Data }) {
  const unpaid = unpaidOf(receipt)
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('credit')}</h3>
      <dl className="grid grid-cols-[max-content_1fr] items-baseline gap-x-4 gap-y-1">
        <Fact name={t('heldMeanwhile')}>
          <ExactMoney amount={receipt.hold} />
        </Fact>
        {receipt.grants.map(({ grant_id: id, amount }) => (
          <Fact key={id} name={t('paidFrom')}>
            <ExactMoney amount={amount} /> <code className="text-xs text-soft">{id}</code>
          </Fact>
        ))}
        {unpaid !== null && (
          <Fact name={t('owed')}>
            <ExactMoney amount={unpaid} />
          </Fact>
        )}
        {receipt.balance_after !== null && (
          <Fact name={t('balanceAfter')}>
            <ExactMoney amount={receipt.balance_after} />
          </Fact>
        )}
        {receipt.refunds.map(({ refund_id: id, amount, reason }) => (
          <Fact key={id} name={t('refunded', { reason })}>
            <ExactMoney amount={amount} />
          </Fact>
        ))}
      </dl>
    </section>
  )
}

function CacheEvidence({ cache }: { readonly cache: NonNullable<Data['cache']> }) {
  const isPart = cache.blocks === 0 && cache.reused_tokens > 0
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('cache')}</h3>
      <dl className="grid grid-cols-[max-content_1fr] items-baseline gap-x-4 gap-y-1">
        <Fact name={t('cacheBlocks')}>
          {isPart ? t('cachePartOfBlock') : countText(cache.blocks)} ({cache.source})
        </Fact>
        <Fact name={t('cacheEvaluated')}>{countText(cache.evaluated_tokens)}</Fact>
        <Fact name={t('worker')}>{cache.worker}</Fact>
        {cache.last_block_hash !== null && (
          <Fact name={t('cacheHash')}>
            <code className="wrap-anywhere">{cache.last_block_hash}</code>
          </Fact>
        )}
      </dl>
    </section>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="max-w-44 text-soft wrap-anywhere">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}
