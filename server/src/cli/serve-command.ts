/**
 * The command line. Each command is a file and reads its settings as the service does. Data goes to
 * stdout, messages to stderr. Like `main.ts` it may import every folder; nothing imports it.
 */
import type { Command } from '../../../cli/src/index.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

export function addServeCommand(program: Command): void {
  addSettingFlags(program.command('serve'))
    .description('run the service until SIGTERM or Ctrl-C')
    .action(async (_options: unknown, command: Command) => {
      const { serve } = await import('./serve.ts')
      await serve(settingFlags(command))
    })
}
