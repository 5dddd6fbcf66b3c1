import type { TestContext } from 'node:test'
import type { Page } from 'puppeteer-core'

/** From now on this process believes that it is then; its clock goes on. */
export function shiftClock(t: Pick<TestContext, 'after'>, thenMs: number): { offsetMs: number } {
  const RealDate = globalThis.Date
  const offsetMs = thenMs - RealDate.now()
  globalThis.Date = class extends RealDate {
    constructor(...given: [] | ConstructorParameters<typeof RealDate>) {
      if (given.length === 0) super(RealDate.now() + offsetMs)
      else super(...given)
    }
    static override now(): number {
      return RealDate.now() + offsetMs
    }
  } as DateConstructor
  t.after(() => {
    globalThis.Date = RealDate
  })
  return { offsetMs }
}

/** The same for what is opened in a page. */
export async function shiftClockOf(page: Page, offsetMs: number): Promise<void> {
  await page.emulateTimezone('UTC')
  await page.evaluateOnNewDocument(`{
    const RealDate = Date
    globalThis.Date = class extends RealDate {
      constructor(...given) {
        if (given.length === 0) super(RealDate.now() + ${offsetMs})
        else super(...given)
      }
      static now() {
        return RealDate.now() + ${offsetMs}
      }
    }
  }`)
}
