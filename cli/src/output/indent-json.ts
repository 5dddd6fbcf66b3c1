// TypeScript does not know it yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(source: string): unknown }

/** Numbers keep their digits, of which JavaScript would lose some. */
export const indentJson = (json: string): string =>
  JSON.stringify(
    JSON.parse(json, (_name, value: unknown, { source }: { source?: string } = {}) =>
      typeof value === 'number' && source !== undefined ? rawJson(source) : value,
    ),
    null,
    2,
  )
