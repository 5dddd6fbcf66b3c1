import {
  type Command,
  type PrintFlags,
  printJson,
  printText,
  withOutputOptions,
} from '../../../cli/src/index.ts'
import { browserSettings, loadConfig } from '../config.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

export function addDoctorCommand(program: Command): void {
  withOutputOptions(
    addSettingFlags(program.command('doctor'), ['http', 'store', 'browser', 'outbound']),
  )
    .description('check the installation and say how to fix it; exit code 1 if something is broken')
    .action(async (flags: PrintFlags, command: Command) => {
      const { config } = loadConfig(settingFlags(command))
      const { formatDoctorReport, runDoctor } = await import('./doctor.ts')
      const { tryPort, tryStore } = await import('./doctor-trials.ts')
      const report = await runDoctor({
        browser: browserSettings(config),
        dataDir: config.store.dataDir,
        pathFolders: config.environment.pathFolders,
        dnsServers: config.outbound.dnsServers,
        nowMs: Date.now(),
        tryStore: () => tryStore(config),
        tryPort: () => tryPort(config.http),
      })
      if (flags.json) await printJson(JSON.stringify(report, null, 2), flags)
      else await printText(formatDoctorReport(report), flags)
      process.exitCode = report.isHealthy ? 0 : 1
    })
}
