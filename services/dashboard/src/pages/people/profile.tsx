import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, useChange, useSessionChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../ui/forms/form.tsx'
import { Age } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { ActionTable } from '../action-table.tsx'
import { NewPassword } from './new-user-fields.tsx'
import { Passkeys } from './passkeys.tsx'
import { ProviderLink } from './provider-link.tsx'

/** One's own name, ways to sign in, and sessions. */
export function Profile() {
  const sessions = useQuery(ask('listSessions', {}))
  const endOthers = useChange('endOtherSessions')
  const { user } = useSession()
  return (
    <Page title={t('profile')}>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <div className="flex flex-col gap-4">
          <Card title={t('displayName')}>
            <NameForm />
          </Card>
          <ProviderLink />
        </div>
        <Card title={t('changePassword')}>
          {user?.has_password === true ? <PasswordForm /> : <p>{t('passwordNone')}</p>}
        </Card>
      </div>
      <Passkeys />
      <Card
        title={t('sessions')}
        action={
          <Button disabled={endOthers.isPending} onClick={() => endOthers.mutate({})}>
            {t('sessionEndOthers')}
          </Button>
        }
      >
        <Answer query={sessions}>{(open) => <Sessions sessions={open} />}</Answer>
      </Card>
    </Page>
  )
}

function NameForm() {
  const { user } = useSession()
  const [name, setName] = useState(user?.display_name ?? '')
  const change = useSessionChange('changeProfile')
  return (
    <Form
      error={change.error}
      className="flex max-w-sm flex-col gap-3 *:[button]:self-start"
      onSubmit={() => change.mutate({ display_name: name })}
    >
      <p className="text-sm text-soft">{user?.email}</p>
      <Field
        label={t('displayName')}
        name="display_name"
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <FormProblem />
      {change.isSuccess && <Notice look="good">{t('saved')}</Notice>}
      <Button type="submit" disabled={change.isPending}>
        {t('save')}
      </Button>
    </Form>
  )
}

function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useSessionChange('changePassword')
  return (
    <Form
      error={change.error}
      className="flex max-w-sm flex-col gap-3 *:[button]:self-start"
      onSubmit={() => {
        const input = { current_password: current, new_password: next }
        change.mutate(input, {
          onSuccess: () => {
            setCurrent('')
            setNext('')
          },
        })
      }}
    >
      <Field
        label={t('currentPassword')}
        name="current_password"
        type="password"
        autoComplete="current-password"
        required
        value={current}
        onChange={({ target }) => setCurrent(target.value)}
      />
      <NewPassword name="new_password" value={next} onChange={setNext} />
      <FormProblem />
      {change.isSuccess && <Notice look="good">{t('passwordChanged')}</Notice>}
      <Button type="submit" disabled={change.isPending}>
        {t('changePassword')}
      </Button>
    </Form>
  )
}

function Sessions({ sessions }: { readonly sessions: DashboardOutput<'listSessions'> }) {
  const end = useChange('endSession')
  return (
    <ActionTable
      label={t('sessions')}
      columns={[
        [
          t('sessionBrowser'),
          ({ user_agent: browser, current }) => (
            <>
              <bdi>{browser}</bdi> {current && <Badge look="good" text={t('sessionThis')} />}
            </>
          ),
        ],
        [t('sessionAddress'), ({ address }) => address],
        [t('sessionBegan'), ({ created_at: at }) => <Age at={at} />],
        [t('sessionUsed'), ({ last_used_at: at }) => <Age at={at} />],
      ]}
      rows={sessions}
      keyOf={({ session_id: id }) => id}
      actions={({ session_id, current }) =>
        !current && (
          <Button disabled={end.isPending} onClick={() => end.mutate({ session_id })}>
            {t('sessionEnd')}
          </Button>
        )
      }
    />
  )
}
