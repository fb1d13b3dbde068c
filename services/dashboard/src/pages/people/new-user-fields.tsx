import { NAME_CHARACTERS_MAX } from '@svc/contracts/admin/fields'
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '@svc/contracts/dashboard/session'
import { t } from '../../text/translate.ts'
import { Field } from '../../ui/forms/field.tsx'

export interface NewUser {
  readonly email: string
  readonly displayName: string
  readonly password: string
}

export const nobody: NewUser = { email: '', displayName: '', password: '' }

export interface NewUserFieldsProps {
  readonly user: NewUser
  /** Whether it is known already who they are: then only their name is asked for. */
  readonly isNamed?: boolean
  readonly onChange: (user: NewUser) => void
}

/** What somebody new says of themselves. */
export function NewUserFields({ user, isNamed = false, onChange }: NewUserFieldsProps) {
  return (
    <>
      {!isNamed && (
        <Field
          label={t('email')}
          name="email"
          type="email"
          autoComplete="username"
          required
          value={user.email}
          onChange={({ target }) => onChange({ ...user, email: target.value })}
        />
      )}
      <Field
        label={t('displayName')}
        name="display_name"
        autoComplete="name"
        required
        maxLength={NAME_CHARACTERS_MAX}
        value={user.displayName}
        onChange={({ target }) => onChange({ ...user, displayName: target.value })}
      />
      {!isNamed && (
        <NewPassword
          name="password"
          value={user.password}
          onChange={(password) => onChange({ ...user, password })}
        />
      )}
    </>
  )
}

export interface NewPasswordProps {
  /** The field of the API that it fills. */
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function NewPassword({ name, value, onChange }: NewPasswordProps) {
  return (
    <Field
      label={t('newPassword')}
      name={name}
      hint={t('passwordHint', { count: PASSWORD_CHARACTERS_MIN })}
      type="password"
      autoComplete="new-password"
      required
      minLength={PASSWORD_CHARACTERS_MIN}
      maxLength={PASSWORD_CHARACTERS_MAX}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
