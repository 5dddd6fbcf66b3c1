import type { Command } from 'commander'
import { describeApi } from '../http/openapi.ts'
import { routes } from '../http/routes.ts'

export function addOpenapiCommand(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document of the service')
    .action(() => console.log(JSON.stringify(describeApi(routes), null, 2)))
}
