import type { Command } from 'commander'
import { withDataDirOption } from './local-settings.ts'
import { withServerOption } from './server-option.ts'

/** Which service a command calls, as whom. */
export interface ServiceFlags {
  server?: string
  dataDir?: string
  apiKey?: string
}

/** The options of every command that calls the service. */
export const withServiceOptions = (command: Command): Command =>
  withServerOption(withDataDirOption(command)).option(
    '--api-key <key>',
    "the key; by default TRAWL_API_KEY, the profile's or the local service's",
  )
