import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from '../runtime/files/make-folder.ts'

export interface DashboardBuild {
  root: string
  dataDir: string
  buildVariables: Record<string, string>
  signal: AbortSignal
  /** A slow machine with a slow registry takes minutes. */
  buildMsMax?: number | undefined
}

const logName = 'dashboard-build.log'

/**
 * Installs the packages of the dashboard and builds it, in a process of its own that gives way to the service
 * and ends with it: what is half done is repaired by the next start. Returns why it failed, if it did.
 */
export async function buildDashboard(build: DashboardBuild): Promise<string | undefined> {
  const { root, dataDir, buildVariables, signal, buildMsMax = 30 * 60_000 } = build
  if (signal.aborted) return undefined
  makeFolder(dataDir)
  const logPath = join(dataDir, logName)
  const log = openSync(logPath, 'w', 0o600)
  const builder = spawn(process.execPath, ['scripts/launch.mjs', 'dashboard/build.ts'], {
    cwd: root,
    // A group of its own, so that npm and the bundler can be ended with it.
    detached: true,
    stdio: ['ignore', log, log],
    env: buildVariables,
  })
  closeSync(log)
  const stop = () => endGroup(builder.pid)
  const deadline = AbortSignal.timeout(buildMsMax)
  const ending = AbortSignal.any([signal, deadline])
  ending.addEventListener('abort', stop)
  if (builder.pid !== undefined) giveWay(builder.pid)

  const [exitCode] = await once(builder, 'close').catch((error: unknown) => [String(error)])
  ending.removeEventListener('abort', stop)
  if (exitCode === 0) return undefined
  if (deadline.aborted) return `It took longer than ${buildMsMax / 60_000} minutes. See ${logPath}.`
  return `${lastLineOf(readFileSync(logPath, 'utf8'), exitCode)} See ${logPath}.`
}

function giveWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
    // Where memory runs out, Linux ends the build, not the service.
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended already, or this system has no such thing.
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** What the launcher or npm said last is what went wrong. */
function lastLineOf(log: string, exitCode: unknown): string {
  const lines = log
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
  const error = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1)
  return error ?? `it ended with ${exitCode}, without a message.`
}
