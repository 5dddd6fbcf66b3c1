/** `node:assert` is not in every runtime. */
export function expect(condition: unknown, saying: string): asserts condition {
  if (!condition) throw new Error(`Expected: ${saying}`)
}

export function expectEqual<Value>(found: Value, wanted: Value): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (left !== right) throw new Error(`Found ${left}, expected ${right}`)
}

/** Returns what a promise was rejected with, which has to be of a class. */
export async function rejection<Caught extends Error>(
  Class: new (...args: never[]) => Caught,
  promise: PromiseLike<unknown>,
): Promise<Caught> {
  const outcome = await Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) throw new Error(`It was not rejected: ${JSON.stringify(outcome)}`)
  if (outcome.error instanceof Class) return outcome.error
  throw outcome.error
}

/** The items of an iterable, at most so many. */
export async function take<Item>(items: AsyncIterable<Item>, countMax = 1_000): Promise<Item[]> {
  const taken: Item[] = []
  for await (const item of items) {
    taken.push(item)
    if (taken.length >= countMax) break
  }
  return taken
}
