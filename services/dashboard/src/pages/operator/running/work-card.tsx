import type { OperationInput, OperationOutput } from '@svc/contracts/admin/operations'
import { type ReactNode, useRef } from 'react'
import { type LineOperation, useWork } from '../../../api/admin-lines.ts'
import { Card } from '../../../ui/card.tsx'
import { Progress } from './progress.tsx'
import { WorkButton, WorkProblem } from './work-buttons.tsx'

/** The lines of one type that an operation answers with. */
type LinesOf<Name extends LineOperation, Type extends string> = Extract<
  OperationOutput<Name>,
  { readonly type: Type }
>

export interface WorkCardProps<Name extends LineOperation> {
  readonly title: string
  /** What the server does, before it does it. */
  readonly text: string
  /** The text on the button that starts it. */
  readonly startName: string
  readonly operation: Name
  readonly input: OperationInput<Name>
  /** Fields for the input, if it has any. */
  readonly fields?: ReactNode
  /** How far the work is, 0 to 1; without it, only that it goes on. */
  readonly shareOf?: (progress: LinesOf<Name, 'progress'>) => number
  /** What came out; `lines` are all that are no progress, also before the result is there. */
  readonly children: (
    result: LinesOf<Name, 'result'> | undefined,
    lines: readonly OperationOutput<Name>[],
  ) => ReactNode
}

interface Counted {
  readonly events?: number
  readonly rate?: number
}

/** Work of the server that is started here and watched while it goes on. */
export function WorkCard<Name extends LineOperation>(props: WorkCardProps<Name>) {
  const { title, text, startName, operation, input, fields, shareOf, children } = props
  const work = useWork(operation)
  const form = useRef<HTMLFormElement>(null)
  const progress = work.newest.progress as LinesOf<Name, 'progress'> | undefined
  const { events, rate } = (progress ?? {}) as Counted
  return (
    <Card
      title={title}
      action={
        <WorkButton work={work} name={startName} onStart={() => form.current?.requestSubmit()} />
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-sm text-soft">{text}</p>
        <form
          ref={form}
          className="contents"
          onSubmit={(event) => {
            event.preventDefault()
            work.start(input)
          }}
        >
          {fields}
        </form>
        {work.isRunning && (
          <Progress
            label={title}
            share={progress === undefined ? null : (shareOf?.(progress) ?? null)}
            events={events}
            rate={rate}
          />
        )}
        <WorkProblem work={work} />
        {children(work.newest.result as LinesOf<Name, 'result'> | undefined, work.lines)}
      </div>
    </Card>
  )
}
