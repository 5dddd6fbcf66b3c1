import { z } from 'zod'
import { redactHeaders } from '../redact-headers.ts'
import {
  type ExtractOptions,
  formatNames,
  proxyTypes,
  toPublicFormats,
} from '../scrape/extract-options.ts'
import { shownOptions } from '../scrape/shown-options.ts'

/** The options of a job as its object repeats them. */
export const JobConfig = z
  .object({
    render_js: z.boolean(),
    formats: shownOptions.formats,
    all_formats: z.array(z.enum(formatNames)),
    proxy: z.object({ country: z.string().nullable(), type: z.enum(proxyTypes) }),
    headers: shownOptions.headers,
    wait_config: shownOptions.wait_config,
  })
  .meta({ id: 'JobConfig' })

export type JobConfig = z.output<typeof JobConfig>

export const toJobConfig = (given: ExtractOptions): JobConfig => ({
  // Each result names its own engine where the page decides (`auto`).
  render_js:
    given.render_js === true || (given.render_js ?? given.configurations.js_render) === true,
  formats: toPublicFormats(given.formats),
  all_formats: given.formats,
  proxy: given.proxy ?? { country: null, type: 'residential' },
  headers: given.headers ? redactHeaders(given.headers) : null,
  wait_config: given.wait_config ? { ...noWait, ...given.wait_config } : null,
})

/** A map has no options of its own. */
export const configOfMap: JobConfig = {
  render_js: false,
  formats: [],
  all_formats: [],
  proxy: { country: null, type: 'residential' },
  headers: null,
  wait_config: null,
}

const noWait = { wait_until: null, wait_for: null, wait_timeout: null }
