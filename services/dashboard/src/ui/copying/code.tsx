import { CopyButton } from './copy-button.tsx'

export interface CodeProps {
  readonly label: string
  readonly text: string
}

/** Text to copy, such as a command. */
export function Code({ label, text }: CodeProps) {
  return (
    <div className="min-w-0">
      <div className="mb-1 flex items-center justify-between gap-2">
        <span className="text-sm font-medium">{label}</span>
        <CopyButton text={text} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
        tabIndex={0}
        className={`overflow-x-auto rounded-md border border-line bg-panel p-3 font-mono text-[13px] ${text.includes('\n') ? '' : 'whitespace-pre-wrap'}`}
      >
        {text}
      </pre>
    </div>
  )
}
