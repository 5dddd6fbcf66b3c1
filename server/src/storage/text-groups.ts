/** How many rows a walk through a table looks at in one statement. */
export const rowsAtOnce = 500
/** Other writers wait for each transaction, so none is larger than this unless a single text is. */
const groupBytesMax = 1024 * 1024
const groupTextsMax = 100

/** Texts that are read and written together in one transaction. */
export function inGroups<Text extends { bytes: number }>(texts: readonly Text[]): Text[][] {
  const groups: Text[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const one of texts) {
    const last = groups.at(-1)
    bytes += one.bytes
    if (last && bytes <= groupBytesMax && last.length < groupTextsMax) last.push(one)
    else {
      groups.push([one])
      bytes = one.bytes
    }
  }
  return groups
}
