import type { LivePage } from '../page/live-page.ts'
import {
  type Chord,
  findChord,
  isPaste,
  type Key,
  modifierBits,
  type Stroke,
  strokesOf,
} from './keys.ts'
import { focusElement } from './reach-element.ts'
import { ActionProblem, type Perform, sleep } from './step.ts'

export async function pressChord(page: LivePage, { modifiers, key }: Chord): Promise<void> {
  let held = 0
  for (const modifier of modifiers) {
    held |= bitOf(modifier)
    await dispatch(page, 'down', modifier, held)
  }
  await pressKey(page, key, held)
  for (const modifier of modifiers.toReversed()) {
    held &= ~bitOf(modifier)
    await dispatch(page, 'up', modifier, held)
  }
}

async function typeStroke(page: LivePage, stroke: Stroke): Promise<void> {
  if ('key' in stroke) await pressKey(page, stroke.key, 0)
  else await insertText(page, stroke.characters)
}

/** Inserts the text at once, as an input method (IME) does. */
export async function insertText({ session, deadline }: LivePage, text: string): Promise<void> {
  await deadline.during(session.send('Input.insertText', { text }))
}

async function pressKey(page: LivePage, key: Key, held: number): Promise<void> {
  const all = key.needsShift ? held | modifierBits.Shift : held
  await dispatch(page, 'down', key, all)
  await dispatch(page, 'up', key, all)
}

async function dispatch(
  { session, deadline }: LivePage,
  direction: 'down' | 'up',
  { key, code, keyCode, text }: Key,
  modifiers: number,
): Promise<void> {
  // With a modifier other than Shift, a key is a shortcut and types nothing.
  const typesText =
    text !== undefined && direction === 'down' && (modifiers & ~modifierBits.Shift) === 0
  await deadline.during(
    session.send('Input.dispatchKeyEvent', {
      type: direction === 'up' ? 'keyUp' : typesText ? 'keyDown' : 'rawKeyDown',
      key,
      code,
      windowsVirtualKeyCode: keyCode,
      modifiers,
      ...(typesText && { text, unmodifiedText: text }),
    }),
  )
}

const bitOf = ({ key }: Key): number => (key in modifierBits ? modifierBits[key as 'Shift'] : 0)

export const press: Perform<'press'> = async (step, { selector, value }) => {
  const chord = findChord(value)
  if (!chord) throw new ActionProblem(`there is no key named ${JSON.stringify(value)}`)
  if (isPaste(chord)) throw new ActionProblem('there is no clipboard to paste from')
  if (selector !== undefined) await focusElement(step, selector, { mustBeWritable: false })
  await pressChord(step.page, chord)
  return {}
}

export const type: Perform<'type'> = async (step, { selector, value, options }) => {
  await focusElement(step, selector, { mustBeWritable: true })
  for (const [index, stroke] of strokesOf(value).entries()) {
    if (index > 0 && options.delay > 0) await sleep(step.page, options.delay)
    await typeStroke(step.page, stroke)
  }
  return {}
}
