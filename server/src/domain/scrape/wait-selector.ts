import { readSelector } from './selector.ts'

/** What is wrong with a text that a browser is to wait for; undefined for a CSS selector or XPath. */
export function waitSelectorFault(text: string): string | undefined {
  try {
    const selector = readSelector(text)
    const isElement = selector.kind === 'xpath' || selector.attribute === undefined
    return isElement ? undefined : `${expected}: it names an attribute`
  } catch (error) {
    if (error instanceof SyntaxError) return `${expected}: ${error.message}`
    throw error
  }
}

const expected = 'Input should be a CSS selector or an XPath'
