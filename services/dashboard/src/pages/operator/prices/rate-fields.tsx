import { Field } from '../../../ui/forms/field.tsx'
import { t } from '../operator-text.ts'

/** Dollars per million tokens, as they are typed. */
export interface TypedRates {
  readonly input: string
  readonly cached_input: string
  readonly output: string
}

export interface RateFieldsProps {
  readonly rates: TypedRates
  readonly onChange: (rates: TypedRates) => void
}

const names = [
  ['input', 'input'],
  ['cached_input', 'cachedInput'],
  ['output', 'output'],
] as const

/** What a million tokens of each class cost. */
export function RateFields({ rates, onChange }: RateFieldsProps) {
  return (
    <fieldset className="grid grid-cols-3 items-end gap-3 has-[[aria-invalid]]:items-start">
      <legend className="mb-1 text-sm text-soft">{t('perMillion')}</legend>
      {names.map(([name, text]) => (
        <Field
          key={name}
          label={t(text)}
          name={name}
          required
          inputMode="decimal"
          value={rates[name]}
          onChange={({ target }) => onChange({ ...rates, [name]: target.value.trim() })}
        />
      ))}
    </fieldset>
  )
}
