import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { ask, useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../ui/forms/form.tsx'
import { GivenName } from '../../ui/given-name.tsx'
import { Age } from '../../ui/moment.tsx'
import { ActionTable } from '../action-table.tsx'
import { RenameDialog } from '../rename-dialog.tsx'
import { Refusal, refusalBy } from './other-ways.tsx'
import { PasswordAgain } from './password-again.tsx'

type Passkey = DashboardOutput<'listPasskeys'>[number]

/** One's own passkeys; nothing where browsers have none. */
export function Passkeys() {
  const { ways_in: ways } = useSession()
  const passkeys = useQuery({ ...ask('listPasskeys', {}), enabled: ways.passkeys })
  const [isAdding, setAdding] = useState(false)
  if (!ways.passkeys) return null
  return (
    <Card
      title={t('passkeys')}
      action={<Button onClick={() => setAdding(true)}>{t('passkeyAdd')}</Button>}
    >
      {isAdding && <NewPasskey onClose={() => setAdding(false)} />}
      <Answer query={passkeys}>
        {(own) => (own.length === 0 ? <p>{t('passkeysNone')}</p> : <List passkeys={own} />)}
      </Answer>
    </Card>
  )
}

function List({ passkeys }: { readonly passkeys: readonly Passkey[] }) {
  const [renamed, setRenamed] = useState<Passkey>()
  const rename = useChange('renamePasskey')
  const remove = useChange('removePasskey')
  const stopRenaming = () => setRenamed(undefined)
  return (
    <>
      <ActionTable
        label={t('passkeys')}
        columns={[
          [t('passkeyName'), ({ name }) => <GivenName name={name} />],
          [t('passkeyMade'), ({ created_at: at }) => <Age at={at} />],
          [t('passkeyUsed'), ({ last_used_at: at }) => <Age at={at} />],
        ]}
        rows={passkeys}
        keyOf={({ passkey_id: id }) => id}
        actions={(passkey) => (
          <span className="inline-flex gap-1">
            <Button look="bare" onClick={() => setRenamed(passkey)}>
              {t('rename')}
            </Button>
            <Button
              look="danger"
              disabled={remove.isPending}
              onClick={() => remove.mutate({ passkey_id: passkey.passkey_id })}
            >
              {t('passkeyRemove')}
            </Button>
          </span>
        )}
      />
      {renamed !== undefined && (
        <RenameDialog
          title={t('renameKey', { name: renamed.name })}
          label={t('passkeyName')}
          name={renamed.name}
          renaming={rename}
          onRename={(name) =>
            rename.mutate({ passkey_id: renamed.passkey_id, name }, { onSuccess: stopRenaming })
          }
          onClose={stopRenaming}
        />
      )}
      <Refusal error={remove.error} />
    </>
  )
}

function NewPasskey({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { user } = useSession()
  const { mutateAsync: keep } = useChange('addPasskey')
  const add = useMutation({
    mutationFn: async () => {
      const again = user?.has_password === true ? { current_password: password } : {}
      const [{ madePasskey }, asked] = await Promise.all([
        import('../../api/passkeys.ts'),
        call('startPasskey', again),
      ])
      return keep({ name, credential: await madePasskey(asked) })
    },
    onSuccess: onClose,
  })
  return (
    <Dialog title={t('passkeyAdd')} onClose={onClose}>
      <Form error={refusalBy(add.error)} onSubmit={() => add.mutate()}>
        <p className="text-sm text-soft">{t('passkeyWhat')}</p>
        <Field
          label={t('passkeyName')}
          name="name"
          hint={t('passkeyNameHint')}
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <PasswordAgain value={password} onChange={setPassword} />
        {refusalBy(add.error) === null ? <Refusal error={add.error} /> : <FormProblem />}
        <Button look="main" type="submit" disabled={add.isPending}>
          {t('passkeyAdd')}
        </Button>
      </Form>
    </Dialog>
  )
}
