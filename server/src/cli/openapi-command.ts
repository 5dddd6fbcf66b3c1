import type { Command } from 'commander'
import { describeApi } from '../http/openapi.ts'
import { routes } from '../http/routes.ts'
import { withOutputOptions } from './output-options.ts'
import { type PrintFlags, printJson } from './print-result.ts'

export function addOpenapiCommand(program: Command): void {
  withOutputOptions(program.command('openapi'))
    .description('print the OpenAPI document of the service, which is JSON')
    .action((flags: PrintFlags) => printJson(JSON.stringify(describeApi(routes), null, 2), flags))
}
