import axe from 'axe-core'
import type { Page } from 'puppeteer-core'

interface AxeResults {
  violations: { id: string; impact: string; nodes: { html: string }[] }[]
}

/** What axe finds on a page that would keep somebody from using it. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
