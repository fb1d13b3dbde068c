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
import { Field } from '../../ui/field.tsx'
import { GivenName } from '../../ui/given-name.tsx'
import { Age } from '../../ui/moment.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import { Refusal } from './other-ways.tsx'
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
  const remove = useChange('removePasskey')
  const head = (
    <>
      <Head>{t('passkeyName')}</Head>
      <Head>{t('passkeyMade')}</Head>
      <Head>{t('passkeyUsed')}</Head>
      <Head>
        <span className="sr-only">{t('passkeyRemove')}</span>
      </Head>
    </>
  )
  return (
    <>
      <Table label={t('passkeys')} head={head}>
        {passkeys.map((passkey) => (
          <tr key={passkey.passkey_id}>
            <Cell>
              <GivenName name={passkey.name} />
            </Cell>
            <Cell>
              <Age at={passkey.created_at} />
            </Cell>
            <Cell>
              {passkey.last_used_at === null ? t('never') : <Age at={passkey.last_used_at} />}
            </Cell>
            <Cell isNumber>
              <Button
                disabled={remove.isPending}
                onClick={() => remove.mutate({ passkey_id: passkey.passkey_id })}
              >
                {t('passkeyRemove')}
              </Button>
            </Cell>
          </tr>
        ))}
      </Table>
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
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate()
        }}
      >
        <p className="text-sm text-soft">{t('passkeyWhat')}</p>
        <Field
          label={t('passkeyName')}
          hint={t('passkeyNameHint')}
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <PasswordAgain value={password} onChange={setPassword} />
        <Refusal error={add.error} />
        <Button look="main" type="submit" disabled={add.isPending}>
          {t('passkeyAdd')}
        </Button>
      </form>
    </Dialog>
  )
}
