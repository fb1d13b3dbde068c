import { t } from '../../../text/translate.ts'
import { Page } from '../../../ui/page.tsx'
import { EvidenceCard } from './evidence-card.tsx'
import { ReconcileCard } from './reconcile-card.tsx'
import { VerifyCard } from './verify-card.tsx'

/** Whether the books can be believed: asked now, of the log itself. */
export function Audit() {
  return (
    <Page title={t('audit')}>
      <ReconcileCard />
      <VerifyCard />
      <EvidenceCard />
    </Page>
  )
}
