import assert from 'node:assert/strict'
import { after, type TestContext } from 'node:test'
import type { Page, StepReport } from '../../src/domain/scrape/page.ts'
import { type BrowserScene, startBrowserScene } from '../support/browser-scene.ts'
import { inGoodTime } from '../support/in-good-time.ts'

export interface ScenarioScene extends BrowserScene {
  /** Shows this page and does these things there. */
  run(html: string, actions: object[], ...more: More): Promise<Page & { scenario: StepReport[] }>
  /** The same, and the values that its actions came to. */
  values(html: string, actions: object[], ...more: More): Promise<unknown[]>
}

type More = [configurations?: object, limits?: { timeoutMs?: number }]

/** What is started for it ends with the file, whose tests share one browser. */
export const wholeFile: Pick<TestContext, 'after'> = {
  after: (close) => after(close as () => unknown),
}

export async function startScenarioScene(): Promise<ScenarioScene> {
  const scene = await startBrowserScene(wholeFile)
  let pages = 0

  const run: ScenarioScene['run'] = async (html, actions, configurations, limits = {}) => {
    pages += 1
    const path = `/scenario-${pages}`
    scene.site.page(path, `<!doctype html>${html}`)
    const asked = { js_render: true, js_scenario: { actions }, ...configurations }
    const { page } = await inGoodTime(limits.timeoutMs ?? 30_000, (timeoutMs) =>
      scene.visit(path, asked, { timeoutMs }),
    )
    const { scenario } = page
    assert.ok(scenario, 'No scenario was run.')
    return { ...page, scenario }
  }

  return {
    ...scene,
    run,
    async values(...asked) {
      const { scenario } = await run(...asked)
      return scenario.flatMap(({ action, value }) => (action === 'evaluate' ? [value] : []))
    },
  }
}

export const click = (selector: string, options: object = {}) => ({
  action: 'click',
  selector,
  options,
})

export const evaluate = (value: string, options: object = {}) => ({
  action: 'evaluate',
  value,
  options,
})
