import { Page } from '../../../ui/page.tsx'
import { t } from '../operator-text.ts'
import { CompareCard } from './compare-card.tsx'
import { EvidenceCard } from './evidence-card.tsx'
import { MonthCard } from './month-card.tsx'
import { ReconcileCard } from './reconcile-card.tsx'
import { ReplayCard } from './replay-card.tsx'
import { VerifyCard } from './verify-card.tsx'

/** Whether the books can be believed: asked now, of the log itself. */
export function Audit() {
  return (
    <Page title={t('audit')}>
      <ReconcileCard />
      <VerifyCard />
      <EvidenceCard />
      <MonthCard />
      <ReplayCard />
      <CompareCard />
    </Page>
  )
}
