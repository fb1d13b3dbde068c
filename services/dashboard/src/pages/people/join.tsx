import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, useSessionChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { momentText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Form, FormProblem } from '../../ui/forms/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { linkPurposes } from './link-purposes.ts'
import { NarrowPage } from './narrow-page.tsx'
import { NewPassword, NewUserFields, nobody } from './new-user-fields.tsx'
import { ByProvider } from './other-ways.tsx'

type Link = DashboardOutput<'lookAtLink'>

/** What a one-time link opens: the owner's of the first start, an invitation, a new password. */
export function Join() {
  const secret = useLocation({ select: ({ hash }) => hash })
  const query = useQuery({ ...ask('lookAtLink', { secret }), enabled: secret !== '' })
  return (
    <NarrowPage title={t('join')}>
      {secret === '' ? (
        <Notice look="warn">{t('linkIncomplete')}</Notice>
      ) : (
        <Answer query={query}>{(link) => <Accept secret={secret} link={link} />}</Answer>
      )}
    </NarrowPage>
  )
}

function Accept({ secret, link }: { readonly secret: string; readonly link: Link }) {
  const session = useSession()
  const [user, setUser] = useState(nobody)
  const accept = useSessionChange('acceptLink')
  const navigate = useNavigate()
  const isNew = link.kind !== 'reset' && session.user === null
  const { provider_label: provider, proxy_email: proxyEmail } = session.ways_in
  const isTyped = isNew && proxyEmail === null
  const given = {
    ...(isNew ? { display_name: user.displayName } : {}),
    ...(isTyped ? { email: user.email } : {}),
    ...(isTyped || link.kind === 'reset' ? { password: user.password } : {}),
  }
  return (
    <Form
      error={accept.error}
      onSubmit={() => {
        const done = { onSuccess: () => navigate({ to: '/', replace: true }) }
        accept.mutate({ secret, ...given }, done)
      }}
    >
      {linkPurposes(link).map((purpose) => (
        <p key={purpose}>{purpose}</p>
      ))}
      <p className="text-sm text-soft">{t('linkUntil', { time: momentText(link.expires_at) })}</p>
      {isNew && provider !== null && (
        <ByProvider text={t('acceptBy', { provider })} to={undefined} linkSecret={secret} />
      )}
      {isNew && proxyEmail !== null && <p>{t('joinAs', { email: proxyEmail })}</p>}
      {isNew && <NewUserFields user={user} isNamed={proxyEmail !== null} onChange={setUser} />}
      {link.kind === 'reset' && (
        <NewPassword
          name="password"
          value={user.password}
          onChange={(password) => setUser({ ...user, password })}
        />
      )}
      {link.kind !== 'reset' && session.user !== null && (
        <p>{t('joinAs', { email: session.user.email })}</p>
      )}
      <FormProblem />
      <Button look="main" type="submit" disabled={accept.isPending}>
        {t(link.kind === 'reset' ? 'setPassword' : 'accept')}
      </Button>
    </Form>
  )
}
