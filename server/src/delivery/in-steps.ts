/** Other writers wait for each transaction, so what concerns many deliveries is written in several. */
const stepMax = 100

export function* inSteps<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += stepMax)
    yield rows.slice(start, start + stepMax)
}
