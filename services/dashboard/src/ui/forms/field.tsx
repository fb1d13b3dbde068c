import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import { useRefusalAt } from './form.tsx'

const control =
  'min-h-9 w-full rounded-md border border-edge bg-paper px-2 py-1 text-ink placeholder:text-soft aria-invalid:border-bad'

export interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> {
  readonly label: string
  readonly hint?: string
  /** The field of the API that it fills: what the server refuses about that is said here. */
  readonly name?: string
  /** What is wrong with what stands in it. */
  readonly problem?: string | undefined
}

/**
 * The last moment that can be typed. Without it a browser takes years of six digits: whoever types
 * the month behind `2026` gets a year that is no time anywhere, and not the next part of the field.
 */
const LAST_OF_TYPE: Readonly<Record<string, string>> = {
  date: '9999-12-31',
  'datetime-local': '9999-12-31T23:59',
  month: '9999-12',
}

/** One line of text with its label, and what is wrong with it where it is typed. */
export function Field({ label, hint, problem, ...rest }: FieldProps) {
  const max = LAST_OF_TYPE[rest.type ?? '']
  const refusal = useRefusalAt(rest.name)
  return (
    <Labelled label={label} hint={hint} problem={problem} refusal={refusal}>
      {(described) => <input className={control} max={max} {...described} {...rest} />}
    </Labelled>
  )
}

export interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly onChoose: (value: Value) => void
}

/** One of a few. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, options, onChoose } = props
  return (
    <Labelled label={label}>
      {(described) => (
        <select
          className={control}
          value={value}
          onChange={({ target }) => onChoose(target.value as Value)}
          {...described}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

interface LabelledProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly problem?: string | undefined
  readonly refusal?: string | undefined
  readonly children: (described: Described) => ReactNode
}

interface Described {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
}

function Labelled({ label, hint, problem, refusal, children }: LabelledProps) {
  const id = useId()
  const wrong = problem ?? refusal
  const below = wrong ?? hint
  const described: Described = {
    id,
    ...(below === undefined ? {} : { 'aria-describedby': `${id}-below` }),
    ...(wrong === undefined ? {} : { 'aria-invalid': true }),
  }
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children(described)}
      {below !== undefined && (
        <p
          id={`${id}-below`}
          // The field may have the focus already: then nothing else says that it was refused.
          role={refusal === undefined ? undefined : 'alert'}
          className={`mt-1 text-sm ${wrong ? 'text-bad' : 'text-soft'}`}
        >
          {below}
        </p>
      )}
    </div>
  )
}
