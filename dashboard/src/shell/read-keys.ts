export type KeyMeaning =
  | { kind: 'help' }
  | { kind: 'page'; path: string }
  | { kind: 'search' }
  | { kind: 'press'; key: string }

interface PressedKey {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  /** Whether it is typed into a field. */
  isTyped: boolean
}

/** Keys that press the button of the page that has them as its shortcut. */
export const buttonKeys = [{ key: 'r', name: 'Replay the task of the page' }] as const

const pauseMsMax = 1_500

/** Understands `?`, `/`, the keys of buttons, and `g` followed by the key of a page. */
export class KeyReader {
  readonly #pathByKey: ReadonlyMap<string, string>
  #leaderAtMs = Number.NEGATIVE_INFINITY

  constructor(pages: readonly { key: string; path: string }[]) {
    this.#pathByKey = new Map(pages.map(({ key, path }) => [key, path]))
  }

  read(pressed: PressedKey, nowMs: number): KeyMeaning | undefined {
    const { key, ctrlKey, metaKey, altKey, isTyped } = pressed
    if (ctrlKey || metaKey || altKey || isTyped) return undefined
    const isSecond = nowMs - this.#leaderAtMs <= pauseMsMax
    this.#leaderAtMs = key === 'g' && !isSecond ? nowMs : Number.NEGATIVE_INFINITY
    if (isSecond) {
      const path = this.#pathByKey.get(key)
      return path === undefined ? undefined : { kind: 'page', path }
    }
    if (key === '?') return { kind: 'help' }
    if (buttonKeys.some((one) => one.key === key)) return { kind: 'press', key }
    return key === '/' ? { kind: 'search' } : undefined
  }
}
