import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { problemText } from '../../text/problems.ts'
import { Notice } from '../notice.tsx'

/** A refusal, and where in the form it is shown. */
interface Fault {
  readonly error: ApiError
  /** The name of the field at fault; null when the form has none of it. */
  readonly field: string | null
}

const FaultContext = createContext<Fault | null>(null)

export interface FormProps {
  /** Why the server refused what was sent last; null when it did not. */
  readonly error: ApiError | null
  readonly className?: string
  readonly onSubmit: () => void
  /** The fields, a {@link FormProblem}, and the buttons. */
  readonly children: ReactNode
}

/**
 * A form that is sent to the server. A refusal that names a field stands at the field of that name,
 * which gets the focus; any other one stands where the form has its {@link FormProblem}.
 */
export function Form({ error, className = 'flex flex-col gap-4', onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  useLayoutEffect(() => {
    const named = error?.param ? form.current?.elements.namedItem(error.param) : null
    const isAtField = named instanceof HTMLInputElement
    setFault(error && { error, field: isAtField ? named.name : null })
    if (isAtField) named.focus()
  }, [error])
  return (
    <FaultContext value={fault}>
      <form
        ref={form}
        className={className}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
      </form>
    </FaultContext>
  )
}

/** Why the form was refused, where that is not said at one of its fields. */
export function FormProblem() {
  const fault = useContext(FaultContext)
  if (fault === null || fault.field !== null) return null
  return <Notice look="bad">{problemText(fault.error)}</Notice>
}

/** Gives what the server said of the field of a name; undefined: nothing. */
export function useRefusalAt(name: string | undefined): string | undefined {
  const fault = useContext(FaultContext)
  return fault !== null && fault.field === name ? problemText(fault.error) : undefined
}
