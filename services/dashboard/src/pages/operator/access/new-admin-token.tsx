import { useState } from 'react'
import { useAdminMaking } from '../../../api/admin.ts'
import { Button } from '../../../ui/button.tsx'
import { Code } from '../../../ui/copying/code.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Choice, Field } from '../../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../../ui/forms/form.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useShownOnce } from '../../shown-once.ts'
import { t } from '../operator-text.ts'

const roles = ['metrics', 'auditor', 'operator', 'owner'] as const

/** Asks for a name and a role, then shows the secret once. */
export function NewAdminToken({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<(typeof roles)[number]>('auditor')
  const create = useAdminMaking('createAdminToken')
  const secret = create.data?.secret
  if (typeof secret === 'string') {
    return (
      <Dialog title={t('keyMade', { name })} isSticky onClose={onClose}>
        <TokenOnce secret={secret} onStored={onClose} />
      </Dialog>
    )
  }
  return (
    <Dialog title={t('newToken')} onClose={onClose}>
      <Form error={create.error} onSubmit={() => create.mutate({ name, role, expires_at: null })}>
        <Field
          label={t('name')}
          name="name"
          hint={t('tokenNameHint')}
          required
          autoFocus
          maxLength={63}
          value={name}
          onChange={({ target }) => setName(target.value.trim())}
        />
        <Choice
          label={t('role')}
          value={role}
          options={roles.map((each) => [each, t(each)] as const)}
          onChoose={setRole}
        />
        {create.data !== undefined && <Notice look="bad">{t('tokenNotShown')}</Notice>}
        <FormProblem />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" type="submit" disabled={create.isPending}>
            {t('newToken')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

interface TokenOnceProps {
  readonly secret: string
  readonly onStored: () => void
}

function TokenOnce({ secret, onStored }: TokenOnceProps) {
  useShownOnce()
  return (
    <div className="flex flex-col gap-4">
      <Notice look="warn">{t('secretOnce')}</Notice>
      <Code label={t('token')} text={secret} />
      <div className="flex justify-end">
        <Button look="main" onClick={onStored}>
          {t('secretStored')}
        </Button>
      </div>
    </div>
  )
}
