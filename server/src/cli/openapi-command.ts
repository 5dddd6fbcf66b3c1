import {
  type Command,
  type PrintFlags,
  printJson,
  withOutputOptions,
} from '../../../cli/src/index.ts'

export function addOpenapiCommand(program: Command): void {
  withOutputOptions(program.command('openapi'))
    .description('print the OpenAPI document of the service, which is JSON')
    .action(async (flags: PrintFlags) => {
      const { describeApi } = await import('../http/openapi/describe-api.ts')
      const { routes } = await import('../http/routes.ts')
      await printJson(JSON.stringify(describeApi(routes), null, 2), flags)
    })
}
