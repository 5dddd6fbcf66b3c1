import { z } from 'zod'
import { storableText } from '../storable-text.ts'
import { isJsonWithin, listUpTo, options } from './option-kinds.ts'

const actionsMax = 50
const scenarioBytesMax = 100 * 1024
const pauseMsMax = 30_000

export const selector = storableText(4096).min(1).describe('CSS selector.')
const text = z
  .union([storableText(scenarioBytesMax), z.number().transform(String)])
  .describe('Text.')
const optional = z
  .boolean()
  .default(false)
  .describe('Whether the scenario goes on when this action fails.')

const numeric = /^-?\d{1,9}(\.\d{1,9})?$/

/** Some clients write numbers as text. */
const number = (bounds: { min: number; max: number }) =>
  z.preprocess(
    (given) => (typeof given === 'string' && numeric.test(given) ? Number(given) : given),
    z.number().min(bounds.min).max(bounds.max),
  )

const delay = number({ min: 0, max: pauseMsMax })
const pixels = number({ min: -1_000_000, max: 1_000_000 }).describe(
  'Pixels, to the left or up when negative.',
)

const actionOptions = <Shape extends z.ZodRawShape>(shape: Shape) => options({ ...shape, optional })
const plainOptions = actionOptions({}).default(() => ({ optional: false }))
const clickOptions = actionOptions({
  delay: delay.prefault(0).describe('Milliseconds between press and release.'),
  button: z.enum(['left', 'right', 'middle']).default('left'),
  clickCount: z.int().min(1).max(10).default(1),
}).prefault({})

const waitForOptions = actionOptions({
  visible: z.boolean().default(false).describe('Wait until it is visible.'),
  hidden: z.boolean().default(false).describe('Wait until it is gone or hidden.'),
  timeout: number({ min: 0, max: 300_000 })
    .optional()
    .describe('Milliseconds; what is left of the attempt by default.'),
}).prefault({})

const listOptions = actionOptions({
  list_selector: selector.describe('CSS selector of what is scrolled.'),
  items_selector: selector.describe('CSS selector of the items.'),
  num_of_items: z.int().min(1).max(10_000).describe('Ends with that many, or when no more come.'),
})

const infiniteScrollOptions = actionOptions({
  max_scrolls: z.int().min(1).max(100).default(10),
  delay: delay.prefault(500).describe('Milliseconds between two scrolls.'),
}).prefault({})

const typeOptions = actionOptions({
  delay: delay.prefault(0).describe('Milliseconds between two keys.'),
}).prefault({})

/** Actions that have the same fields share a schema. */
const action = <const Names extends readonly string[], Shape extends z.ZodRawShape>(
  id: string,
  names: Names,
  fields: Shape,
) => z.strictObject({ action: z.literal(names), ...fields }).meta({ id })

/** Every action with its fields. */
const Action = z.discriminatedUnion('action', [
  action('ClickAction', ['click', 'click_and_wait_for_navigation'], {
    selector,
    options: clickOptions,
  }),
  action('WaitAction', ['wait'], {
    value: number({ min: 0, max: pauseMsMax }).describe('Milliseconds.'),
    options: plainOptions,
  }),
  action('WaitForAction', ['waitFor', 'wait_for'], { selector, options: waitForOptions }),
  action('ScrollAction', ['scroll_x', 'scroll_y'], {
    value: pixels,
    selector: selector.optional().describe('What is scrolled; the window by default.'),
    options: plainOptions,
  }),
  action('ScrollListAction', ['scroll_on_list_and_get_items'], { options: listOptions }),
  action('TypeAction', ['type'], { selector, value: text, options: typeOptions }),
  action('EvaluateAction', ['evaluate'], {
    value: storableText(scenarioBytesMax).min(1).describe('A script; its last value is returned.'),
    options: plainOptions,
  }),
  action('HoverAction', ['hover', 'clear'], { selector, options: plainOptions }),
  action('FillAction', ['fill', 'select'], { selector, value: text, options: plainOptions }),
  action('PressAction', ['press'], {
    value: storableText(64).min(1).describe('Name of a key.'),
    selector: selector.optional().describe('Where; whatever has the focus by default.'),
    options: plainOptions,
  }),
  action('InfiniteScrollAction', ['infinite_scroll'], { options: infiniteScrollOptions }),
  action('ScreenshotAction', ['screenshot'], { options: plainOptions }),
])

export type ScenarioAction = z.output<typeof Action>
export type ActionName = ScenarioAction['action']

/** The type of the action of this name; some actions share their fields. */
export type ActionNamed<Name extends ActionName> = WithName<ScenarioAction, Name>
type WithName<Any extends ScenarioAction, Name> = Any extends ScenarioAction
  ? Name extends Any['action']
    ? Any
    : never
  : never

const fieldsByAction = new Map(
  Action.options.flatMap(({ shape }) =>
    [...shape.action.values].map((name): [string, object] => [name, shape]),
  ),
)

const GivenAction = z.preprocess(asDocumented, Action).meta({ id: 'ScenarioAction' })

export const Scenario = options({
  actions: listUpTo(actionsMax, GivenAction)
    .refine((actions) => isJsonWithin(actions, scenarioBytesMax), {
      params: { type: 'too_long' },
      message: `Scenario should have at most ${scenarioBytesMax} bytes as JSON`,
    })
    .prefault([])
    .describe('Done in this order once the page has loaded.'),
})

/**
 * Clients may send all four fields with every action; those that the action does not use are dropped.
 * A known client sends `click` with a number and no selector, and means `wait`.
 */
function asDocumented(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const { action: named, ...fields } = given as Record<string, unknown>
  if (!fields['selector']) delete fields['selector']
  const isPause =
    named === 'click' && fields['selector'] === undefined && isNumeric(fields['value'])
  const action = isPause ? 'wait' : named
  const used = typeof action === 'string' ? fieldsByAction.get(action) : undefined
  for (const key of ['selector', 'value', 'options']) {
    const isUseless = used !== undefined && !(key in used)
    if (isUseless || fields[key] === null || fields[key] === undefined) delete fields[key]
  }
  return { action, ...fields }
}

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && numeric.test(value))
