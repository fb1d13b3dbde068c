import { useEffect, useRef, useState } from 'react'
import { type PlainName, t } from '../text/translate.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { areShortcutsOn, rememberShortcuts, shortcutHandler } from './shortcut-keys.ts'

export interface ShortcutsProps {
  readonly areas: readonly (readonly [letter: string, name: PlainName])[]
  readonly onGo: (name: PlainName) => void
}

const everywhere = [
  ['/', 'keyFind'],
  ['j', 'keyNext'],
  ['k', 'keyPrevious'],
  ['o', 'keyOpen'],
  ['Esc', 'keyClose'],
  ['?', 'keyHelp'],
] as const satisfies readonly (readonly [key: string, name: PlainName])[]

/** Keys that lead around, what they are, and the way to switch them off. */
export function Shortcuts({ areas, onGo }: ShortcutsProps) {
  const [isOpen, setOpen] = useState(false)
  const [areOn, setOn] = useState(areShortcutsOn)
  const newest = useRef({ areas, onGo })
  newest.current = { areas, onGo }
  useEffect(() => {
    if (!areOn) return
    const listen = shortcutHandler({
      goTo(letter) {
        const area = newest.current.areas.find(([each]) => each === letter)
        if (area !== undefined) newest.current.onGo(area[1])
      },
      help: () => setOpen(true),
    })
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [areOn])
  return (
    <>
      <Button look="bare" className="self-start max-lg:hidden" onClick={() => setOpen(true)}>
        {t('keyboard')}
      </Button>
      {isOpen && (
        <Dialog title={t('keyboard')} onClose={() => setOpen(false)}>
          <dl className="mb-4 grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-sm">
            {everywhere.map(([key, name]) => (
              <Key key={key} keys={key} does={t(name)} />
            ))}
            {areas.map(([letter, name]) => (
              <Key key={letter} keys={`g ${letter}`} does={t(name)} />
            ))}
          </dl>
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={areOn}
              onChange={({ target }) => {
                setOn(target.checked)
                rememberShortcuts(target.checked)
              }}
            />
            {t('keysOn')}
          </label>
        </Dialog>
      )}
    </>
  )
}

function Key({ keys, does }: { readonly keys: string; readonly does: string }) {
  return (
    <>
      <dt>
        <kbd className="rounded border border-edge px-1.5 font-mono">{keys}</kbd>
      </dt>
      <dd>{does}</dd>
    </>
  )
}
