const msPerUnit: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const bytesPerUnit: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

/** `30s`, `5m`, `72h` in milliseconds; undefined if the text is no duration. */
export const parseDurationMs = (text: string): number | undefined => parseQuantity(text, msPerUnit)

/** `256kb`, `10mb` in bytes; undefined if the text is no size. */
export const parseBytes = (text: string): number | undefined =>
  parseQuantity(text.toLowerCase(), bytesPerUnit)

function parseQuantity(text: string, units: Record<string, number>): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(text.trim()) ?? []
  const factor = units[unit ?? '']
  return factor === undefined ? undefined : Math.round(Number(amount) * factor)
}
