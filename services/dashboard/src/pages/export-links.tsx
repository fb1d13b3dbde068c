import type { DashboardInput } from '@svc/contracts/dashboard/operations'
import { addressOf } from '../api/call.ts'
import { t } from '../text/translate.ts'
import { buttonClass } from '../ui/button.tsx'

type ExportName = 'exportStatement' | 'exportRequests' | 'exportUsage'

export interface ExportLinksProps<Name extends ExportName> {
  readonly name: Name
  /** What the page shows; the file has all of it, whatever part of it is on the page. */
  readonly asked: Omit<DashboardInput<Name>, 'as'>
}

/** The whole list as a file, written by the server: a browser need not hold it in memory. */
export function ExportLinks<Name extends ExportName>({ name, asked }: ExportLinksProps<Name>) {
  const address = (as: 'csv' | 'jsonl' | 'html') =>
    addressOf(name, { ...asked, as } as DashboardInput<Name>)
  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden">
      <a href={address('csv')} download className={buttonClass('plain')}>
        {t('csv')}
      </a>
      <a href={address('jsonl')} download className={buttonClass('plain')}>
        {t('jsonl')}
      </a>
      {name === 'exportStatement' && (
        <a href={address('html')} target="_blank" rel="noopener" className={buttonClass('plain')}>
          {t('print')}
        </a>
      )}
    </div>
  )
}
