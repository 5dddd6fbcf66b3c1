import type { Referable } from './document.ts'

/** A part of the document with the name that it has as a component. */
export interface NamedPart<Value> {
  name: string
  value: Value
}

/**
 * Makes components of the parts that stand in the document more than once, since it would be several times
 * as long with all of them. Where parts of one name differ, the most frequent one is the component.
 */
export function shareParts<Value>(
  kind: 'responses' | 'parameters',
  parts: readonly NamedPart<Value>[],
) {
  const components: Record<string, Value> = {}
  const references = new Map<string, { $ref: string }>()
  const groups = Map.groupBy(parts, ({ value }) => JSON.stringify(value))
  const byFrequency = [...groups].sort(([, a], [, b]) => b.length - a.length)
  for (const [text, [first, ...repeats]] of byFrequency) {
    if (!first || repeats.length === 0 || Object.hasOwn(components, first.name)) continue
    components[first.name] = first.value
    references.set(text, { $ref: `#/components/${kind}/${first.name}` })
  }
  return {
    components,
    /** A reference where the part is a component, otherwise the part itself. */
    refer: (value: Value): Referable<Value> => references.get(JSON.stringify(value)) ?? value,
  }
}
