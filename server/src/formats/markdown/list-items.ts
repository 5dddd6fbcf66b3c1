import { type Element, isElement, type Node, nextNode, nodeTypes } from '../dom/dom.ts'
import { classOf, isSpace } from './element-kinds.ts'

const startMax = 999_999_999

/** The number of an ordered list's first item; undefined for a list with bullets. */
export function listStart(list: Element): number | undefined {
  if (list.localName !== 'ol') return undefined
  const start = list.getAttribute('start') ?? list.firstElementChild?.getAttribute('value') ?? '1'
  const number = Number.parseInt(start, 10)
  return number >= 0 && number <= startMax ? number : 1
}

/** Notion writes a list for each item. */
export function continuesList(
  list: Element,
  previous: { start: number | undefined; items: unknown[] },
): boolean {
  const before = list.previousElementSibling
  if (before?.localName !== list.localName || classOf(list) === '') return false
  if (classOf(before) !== classOf(list)) return false
  const start = listStart(list)
  return start === undefined
    ? previous.start === undefined
    : start > 1 && start === (previous.start ?? 0) + previous.items.length
}

const doneClass = /(?:^|\s)(?:checkbox-on|is-checked|checked|task-done|done)(?:\s|$)/
const openClass = /(?:^|\s)(?:checkbox-off|unchecked|is-unchecked)(?:\s|$)/
const taskClass = /(?:^|\s)(?:task-list-item|todo|to-do-list|inline-task-list)(?:\s|$)/

/** Whether a list item is a finished task; undefined if it is no task. */
export function taskState(item: Element): boolean | undefined {
  const checked = item.getAttribute('data-checked') ?? item.getAttribute('aria-checked')
  if (checked !== null) return checked === 'true'
  if (item.hasAttribute('data-inline-task-id')) return doneClass.test(classOf(item))
  let node: Node | null = nextNode(item, item)
  for (let seen = 0; node && seen < 8; seen++, node = nextNode(node, item)) {
    if (node.nodeType === nodeTypes.text && !isSpace(node.nodeValue ?? '')) return undefined
    if (!isElement(node)) continue
    if (node.localName === 'input' && node.getAttribute('type') === 'checkbox') {
      return node.hasAttribute('checked')
    }
    const className = classOf(node)
    if (doneClass.test(className)) return isTaskList(item) ? true : undefined
    if (openClass.test(className)) return isTaskList(item) ? false : undefined
  }
  return undefined
}

const isTaskList = (item: Element): boolean =>
  taskClass.test(`${classOf(item)} ${item.parentElement ? classOf(item.parentElement) : ''}`)
