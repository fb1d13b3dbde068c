import { Page } from '../../../ui/page.tsx'
import { t } from '../operator-text.ts'
import { AdminTokens } from './admin-tokens.tsx'
import { OpenLinks } from './open-links.tsx'
import { Users } from './users.tsx'

/** Who may do what: people and programs. */
export function Access() {
  return (
    <Page title={t('access')}>
      <Users />
      <OpenLinks />
      <AdminTokens />
    </Page>
  )
}
