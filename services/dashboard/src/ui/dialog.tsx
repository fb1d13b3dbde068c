import { type MouseEvent, type PointerEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { t } from '../text/translate.ts'
import { Button } from './button.tsx'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Stays until its own button is pressed: neither Escape nor a click beside it closes it. */
  readonly isSticky?: boolean
  /** Whether it stands at the right edge, as tall as the window. */
  readonly isPanel?: boolean
  readonly children: ReactNode
}

/**
 * Where the focus goes back to: what opened the dialog or, where that is gone with what was
 * changed, such as the buttons of a user who was erased, the table and the page that it stood in.
 */
function placesOf(opener: Element | null): readonly HTMLElement[] {
  const places = [opener, opener?.closest('section[tabindex]'), opener?.closest('main')]
  return places.filter((place) => place instanceof HTMLElement)
}

/**
 * Hears a click beside the dialog. A text that is selected past the edge ends there too, and so
 * does the second half of the double-click that opened it: neither is meant to close it.
 */
function useClickBeside(onClick: () => void) {
  const isPressedBeside = useRef(false)
  return {
    onPointerDown({ target, currentTarget }: PointerEvent) {
      isPressedBeside.current = target === currentTarget
    },
    onClick({ target, currentTarget, detail: clicks }: MouseEvent) {
      if (target === currentTarget && isPressedBeside.current && clicks < 2) onClick()
    },
  }
}

/**
 * The browser's own dialog: it keeps the focus inside, and lies above everything.
 * It is open as long as it is rendered.
 */
export function Dialog({ title, onClose, isSticky, isPanel, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    const places = placesOf(document.activeElement)
    element?.showModal()
    // What is to be filled in, and not the button that closes it.
    element?.querySelector<HTMLElement>('form :is(input, textarea)')?.focus()
    return () => {
      element?.close()
      // It is out of the page by now, and a browser gives the focus back only from within it.
      for (const place of places) {
        place.focus()
        if (document.activeElement === place) return
      }
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title tells of another content
  useEffect(() => {
    // What had the focus may be gone with the content of before, such as a form that was sent.
    if (!dialog.current?.contains(document.activeElement)) heading.current?.focus()
  }, [title])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      // A browser asks only once whether Escape may close a dialog; told so, it never does.
      {...(isSticky && { closedby: 'none' })}
      onCancel={(event) => {
        // React tells of a dialog that was opened from within this one too.
        if (event.target !== dialog.current) return
        event.preventDefault()
        if (!isSticky) onClose()
      }}
      onClose={({ target }) => {
        // A browser that does not know `closedby` closes it: then it opens again.
        if (target !== dialog.current || dialog.current.open) return
        if (isSticky) dialog.current.showModal()
        else onClose()
      }}
      {...useClickBeside(() => !isSticky && onClose())}
      className={`overflow-auto border border-line bg-paper p-0 text-left whitespace-normal text-ink shadow-xl ${isPanel ? 'm-0 ml-auto h-dvh max-h-none w-full max-w-2xl' : 'm-auto w-[calc(100%-2rem)] max-w-lg rounded-lg'}`}
    >
      <div className="p-5">
        <div className="mb-4 flex items-start justify-between gap-4">
          <h2
            ref={heading}
            id={id}
            tabIndex={-1}
            className="min-w-0 text-lg font-semibold wrap-anywhere outline-none"
          >
            {title}
          </h2>
          {!isSticky && (
            <Button look="bare" aria-label={t('close')} onClick={onClose}>
              <span aria-hidden="true">✕</span>
            </Button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  )
}
