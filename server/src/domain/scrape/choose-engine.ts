import type { TaskLane } from '../task/lane.ts'
import type { ScrapeOptions } from './scrape-options.ts'

/** Whether each of the options that only the browser engine supports is used. */
const browserOptions = {
  screenshot: (options) => options.screenshot.use,
  js_render: (options) => options.js_render,
  waitForSelector: (options) => options.waitForSelector !== undefined,
  js_scenario: (options) => options.js_scenario.actions.length > 0,
  localStorage: (options) => Object.keys(options.localStorage).length > 0,
  collect_data_from_requests: (options) => options.collect_data_from_requests,
  viewport: (options) => options.viewport !== undefined,
} satisfies { [Name in keyof ScrapeOptions]?: (options: ScrapeOptions) => boolean }
const browserOptionEntries = Object.entries(browserOptions)

/** The names of the options that need a browser. */
export const optionsNeedingBrowser = (options: ScrapeOptions): string[] =>
  browserOptionEntries.filter(([, isUsed]) => isUsed(options)).map(([name]) => name)

export const engineFor = (options: ScrapeOptions): TaskLane =>
  browserOptionEntries.some(([, isUsed]) => isUsed(options)) ? 'browser' : 'http'
