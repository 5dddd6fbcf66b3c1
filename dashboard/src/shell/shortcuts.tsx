import { Fragment, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { pages } from '../pages.ts'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { buttonKeys, KeyReader } from './read-keys.ts'

const shortcuts = [
  ['?', 'This list'],
  ['/', 'Search on the page'],
  ...buttonKeys.map(({ key, name }) => [key, name] as const),
  ...pages.map(({ key, name }) => [`g ${key}`, name] as const),
] as const

/** The keys of the dashboard, and the list of them. */
export function Shortcuts() {
  const [isOpen, setOpen] = useState(false)
  const [, navigate] = useLocation()

  useEffect(() => {
    const reader = new KeyReader(pages)
    const onKey = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey } = event
      // A page must not be left from a dialog that shows a secret once, nor a button be pressed behind it.
      if (document.querySelector('[role="dialog"]')) return
      const isTyped = target instanceof Element && target.matches('input, select, textarea')
      const meaning = reader.read({ key, ctrlKey, metaKey, altKey, isTyped }, event.timeStamp)
      if (!meaning) return
      event.preventDefault()
      if (meaning.kind === 'help') setOpen(true)
      else if (meaning.kind === 'page') navigate(meaning.path)
      else if (meaning.kind === 'press') pressButton(meaning.key)
      else document.querySelector<HTMLInputElement>('input[type="search"]')?.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [navigate])

  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)} aria-keyshortcuts="?">
        Shortcuts
      </Button>
      <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={() => setOpen(false)}>
        <dl className="facts">
          {shortcuts.map(([keys, name]) => (
            <Fragment key={keys}>
              <dt>
                {keys.split(' ').map((key) => (
                  <Fragment key={key}>
                    <kbd>{key}</kbd>{' '}
                  </Fragment>
                ))}
              </dt>
              <dd>{name}</dd>
            </Fragment>
          ))}
        </dl>
      </Dialog>
    </>
  )
}

function pressButton(key: string): void {
  document.querySelector<HTMLButtonElement>(`button[aria-keyshortcuts="${key}"]`)?.click()
}
