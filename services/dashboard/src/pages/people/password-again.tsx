import { useSession } from '../../api/session.ts'
import { t } from '../../text/translate.ts'
import { Field } from '../../ui/forms/field.tsx'

export interface PasswordAgainProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Asks those who have a password for it before a lasting way to sign in is added. */
export function PasswordAgain({ value, onChange }: PasswordAgainProps) {
  const { user } = useSession()
  if (user?.has_password !== true) return null
  return (
    <Field
      label={t('currentPassword')}
      name="current_password"
      type="password"
      autoComplete="current-password"
      required
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
