import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chord, findChord, isPaste, strokesOf } from './keys.ts'

const described = (chord: Chord | undefined) =>
  chord && [
    ...chord.modifiers.map(({ code }) => code),
    chord.key.code,
    chord.key.key,
    chord.key.keyCode,
    chord.key.text,
  ]

const chords: [value: string, expected: unknown[]][] = [
  ['Enter', ['Enter', 'Enter', 13, '\r']],
  ['enter', ['Enter', 'Enter', 13, '\r']],
  ['Tab', ['Tab', 'Tab', 9, undefined]],
  ['Esc', ['Escape', 'Escape', 27, undefined]],
  ['Backspace', ['Backspace', 'Backspace', 8, undefined]],
  ['ArrowDown', ['ArrowDown', 'ArrowDown', 40, undefined]],
  ['PageUp', ['PageUp', 'PageUp', 33, undefined]],
  ['Home', ['Home', 'Home', 36, undefined]],
  ['F1', ['F1', 'F1', 112, undefined]],
  ['F12', ['F12', 'F12', 123, undefined]],
  ['Space', ['Space', ' ', 32, ' ']],
  [' ', ['Space', ' ', 32, ' ']],
  ['a', ['KeyA', 'a', 65, 'a']],
  ['A', ['KeyA', 'A', 65, 'A']],
  ['KeyZ', ['KeyZ', 'z', 90, 'z']],
  ['7', ['Digit7', '7', 55, '7']],
  ['(', ['Digit9', '(', 57, '(']],
  ['?', ['Slash', '?', 191, '?']],
  ['+', ['Equal', '+', 187, '+']],
  ['Shift', ['ShiftLeft', 'Shift', 16, undefined]],
  ['Control+A', ['ControlLeft', 'KeyA', 'a', 65, 'a']],
  ['ctrl+a', ['ControlLeft', 'KeyA', 'a', 65, 'a']],
  ['Shift+a', ['ShiftLeft', 'KeyA', 'A', 65, 'A']],
  ['Shift+1', ['ShiftLeft', 'Digit1', '!', 49, '!']],
  ['Shift+Tab', ['ShiftLeft', 'Tab', 'Tab', 9, undefined]],
  ['Control+Shift+K', ['ControlLeft', 'ShiftLeft', 'KeyK', 'K', 75, 'K']],
  ['Control++', ['ControlLeft', 'Equal', '=', 187, '=']],
  ['Alt+F4', ['AltLeft', 'F4', 'F4', 115, undefined]],
  ['Command+Enter', ['MetaLeft', 'Enter', 'Enter', 13, '\r']],
]

for (const [value, expected] of chords) {
  test(`the key name ${JSON.stringify(value)} is parsed`, () => {
    assert.deepEqual(described(findChord(value)), expected)
  })
}

for (const value of ['Return of the key', 'é', 'ControlA', 'Hyper+A', 'a+b', 'Control+', '++']) {
  test(`the key name ${JSON.stringify(value)} is rejected`, () => {
    assert.equal(findChord(value), undefined)
  })
}

test('every printable ASCII character has a key that types it', () => {
  const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))

  const strokes = strokesOf(printable.join(''))

  assert.deepEqual(
    strokes.map((stroke) => 'key' in stroke && stroke.key.text),
    printable,
  )
})

test('a character without a key is inserted as a whole, and line breaks and tabs are keys', () => {
  const strokes = strokesOf('aé👍🏽\r\n\t\n')

  assert.deepEqual(
    strokes.map((stroke) => ('key' in stroke ? stroke.key.key : stroke.characters)),
    ['a', 'é', '👍🏽', 'Enter', 'Tab', 'Enter'],
  )
})

test('all key chords that paste are recognized, and no others', () => {
  const pastes = ['Control+V', 'ctrl+v', 'Control+Shift+V', 'Meta+V', 'Shift+Insert']
  const others = ['V', 'Shift+V', 'Alt+V', 'Control+C', 'Insert', 'Control+Insert']
  const found = [...pastes, ...others].filter((value) => {
    const chord = findChord(value)
    return chord && isPaste(chord)
  })

  assert.deepEqual(found, pastes)
})
