import type { Receipt } from '@svc/contracts/wire/billing'
import { t } from '../../text/translate.ts'

/** The events of the ledger that the receipt is read from, each with its place and hash. */
export function ReceiptEvents({ events }: Pick<Receipt, 'events'>) {
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('events')}</h3>
      <ul className="flex flex-col gap-2">
        {events.map(({ id, type, stream, revision, hash }) => (
          <li key={id} className="rounded-md border border-line p-2">
            <p>
              {type}, {stream} #{revision}
            </p>
            <code className="block text-xs wrap-anywhere">{id}</code>
            <code className="block text-xs text-soft wrap-anywhere">{hash}</code>
          </li>
        ))}
      </ul>
    </section>
  )
}
