import { Fragment, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { pages } from '../pages.ts'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { buttonKeys, KeyReader } from './read-keys.ts'

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
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>This list</dd>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Search on the page</dd>
          {buttonKeys.map(({ key, name }) => (
            <Fragment key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{name}</dd>
            </Fragment>
          ))}
          {pages.map(({ name, key }) => (
            <ShortcutOfPage key={name} letter={key} name={name} />
          ))}
        </dl>
      </Dialog>
    </>
  )
}

function pressButton(key: string): void {
  document.querySelector<HTMLButtonElement>(`button[aria-keyshortcuts="${key}"]`)?.click()
}

function ShortcutOfPage({ letter, name }: { letter: string; name: string }) {
  return (
    <>
      <dt>
        <kbd>g</kbd> <kbd>{letter}</kbd>
      </dt>
      <dd>{name}</dd>
    </>
  )
}
