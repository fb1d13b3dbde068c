import { Page } from '../../../ui/page.tsx'
import { t } from '../operator-text.ts'
import { AdminTokens } from './admin-tokens.tsx'
import { OpenLinks } from './open-links.tsx'
import { Users } from './users.tsx'

/** Shows which people and programs may do what. */
export function Access() {
  return (
    <Page title={t('access')}>
      <Users />
      <OpenLinks />
      <AdminTokens />
    </Page>
  )
}
