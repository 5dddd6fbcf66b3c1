import { spawnSync } from 'node:child_process'
import { join, sep } from 'node:path'
import { SetupProblem } from './setup-problem.mjs'

const majorNeeded = 24
const majorOf = (version) => Number(version.replace(/^v/, '').split('.')[0])

/** The running Node if it is new enough, else the one that npm installed as a dependency. */
export function findNode(root, { wasInstalled }) {
  const nodeModules = join(root, 'node_modules')
  const installed = join(nodeModules, `node-${process.platform}-${process.arch}`, 'bin', 'node')

  if (majorOf(process.version) >= majorNeeded) {
    // The installation may have replaced the binary that this process runs.
    const isReplaced = wasInstalled && process.execPath.startsWith(nodeModules + sep)
    return { path: isReplaced ? installed : process.execPath, isThisProcess: !isReplaced }
  }
  if (runs(installed)) return { path: installed, isThisProcess: false }

  throw new SetupProblem(
    `trawl needs Node ${majorNeeded} or newer; this is ${process.versions.node}, and npm has none ` +
      `that runs on this machine (${process.platform} ${process.arch}).\n` +
      `Install Node ${majorNeeded} from https://nodejs.org, then run again.`,
    78,
  )
}

// The file may exist and not run: it needs glibc, which Alpine (musl) lacks.
function runs(node) {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return Boolean(stdout) && majorOf(stdout) >= majorNeeded
}
