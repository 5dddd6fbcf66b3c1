import { z } from 'zod'
import { storableText } from '../storable-text.ts'
import { isPlainObject, withoutUnset } from './option-kinds.ts'
import { readSelector, selectorCharactersMax } from './selector.ts'

export const rulesMax = 100
export const ruleLevelsMax = 5
// All selectors of a request are compiled before it is accepted.
const allSelectorsCharactersMax = 16_384

/** What to extract, by the names that the results get. */
export interface ExtractRules {
  [name: string]: ExtractRule
}

/** A selector whose first match gives text, or the attribute it names; or a rule in full. */
export type ExtractRule =
  | string
  | { selector: string; output?: RuleOutput | undefined; type?: 'item' | 'list' | undefined }

/** `text`, `html`, `table`, `@attribute`, or rules for the inside of each match. */
export type RuleOutput = string | ExtractRules

const selector = storableText(selectorCharactersMax)
  .superRefine((text, context) => {
    // Whatever is too long is refused for that, and is not worth parsing.
    const fault = text.length <= selectorCharactersMax ? faultOf(text) : undefined
    if (fault === undefined) return
    context.addIssue({
      code: 'custom',
      params: { type: 'selector_parsing' },
      message: `Input should be a CSS selector or an XPath: ${fault}`,
    })
  })
  .describe('CSS selector, perhaps with `@attribute` at its end, or XPath 1.0.')

const unknownField = z.unknown().refine(() => false, {
  params: { type: 'extra_forbidden' },
  message: 'Extra inputs are not permitted',
})

const output = z
  .union([
    z.string().regex(/^(?:text|html|table|@[\w:.-]{1,200})$/, {
      error: 'Output should be text, html, table, @attribute or inner rules',
    }),
    z.lazy((): z.ZodType<ExtractRules> => InnerRules),
  ])
  .describe('`text` by default; `html`, `table`, `@attribute`, or rules relative to the match.')

const fullRule = withoutUnset(
  z
    .object({
      selector,
      output: output.optional(),
      type: z.enum(['item', 'list']).optional().describe('The first match (default), or all.'),
    })
    // A fault of a field has a longer path than the rule's own, so the request's error names it.
    .catchall(unknownField)
    .superRefine((rule, context) => {
      if (rule.output === undefined || !/^[^/(]*@[\w:.-]+$/.test(rule.selector)) return
      context.addIssue({
        code: 'custom',
        path: ['output'],
        params: { type: 'value_error' },
        message: 'The selector names an attribute already, so the rule has no other output',
      })
    }),
)

const Rule = z.union([selector, fullRule]).meta({ id: 'ExtractRule' })
const InnerRules = withoutUnset(z.record(z.string().max(200), Rule)).meta({
  id: 'InnerExtractRules',
}) as unknown as z.ZodType<ExtractRules>

/** The rules of a request: checked, each selector compiled, and limited in number and depth. */
export const ExtractRules = z
  .preprocess((given, context) => {
    const fault = sizeFault(given)
    if (fault) {
      context.addIssue({ code: 'custom', params: { type: 'too_long' }, ...fault, input: given })
    }
    return given
  }, InnerRules)
  .meta({ id: 'ExtractRules' })

function faultOf(text: string): string | undefined {
  try {
    readSelector(text)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}

const selectorsTooLong = `All selectors together should have at most ${allSelectorsCharactersMax} characters`

interface SizeFault {
  message: string
  path: string[]
}

/** Counts rules and levels without recursion, because the request may be nested to any depth. */
function sizeFault(given: unknown): SizeFault | undefined {
  const waiting = [{ rules: given, path: [] as string[], level: 1 }]
  let count = 0
  let characters = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (!isPlainObject(next.rules)) continue
    if (next.level > ruleLevelsMax) {
      return { message: `Rules should be at most ${ruleLevelsMax} levels deep`, path: next.path }
    }
    for (const [name, rule] of Object.entries(next.rules)) {
      if (++count > rulesMax)
        return { message: `There should be at most ${rulesMax} rules`, path: [] }
      const selector = isPlainObject(rule) ? rule['selector'] : rule
      characters += typeof selector === 'string' ? selector.length : 0
      if (characters > allSelectorsCharactersMax) return { message: selectorsTooLong, path: [] }
      if (!isPlainObject(rule)) continue
      const path = [...next.path, name, 'output']
      waiting.push({ rules: rule['output'], path, level: next.level + 1 })
    }
  }
  return undefined
}
