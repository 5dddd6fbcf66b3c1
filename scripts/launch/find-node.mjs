import { spawnSync } from 'node:child_process'
import { join, sep } from 'node:path'
import { SetupProblem } from './setup-problem.mjs'

const majorNeeded = 24
const majorOf = (version) => Number(version.replace(/^v/, '').split('.')[0])

/** The running Node when it is new enough, else the one that npm brought with the dependencies. */
export function findNode(root, { wasInstalled }) {
  const nodeModules = join(root, 'node_modules')
  const brought = join(nodeModules, `node-${process.platform}-${process.arch}`, 'bin', 'node')

  if (majorOf(process.version) >= majorNeeded) {
    // An installation has just replaced the binary that this process was started from.
    const isReplaced = wasInstalled && process.execPath.startsWith(nodeModules + sep)
    return { path: isReplaced ? brought : process.execPath, isThisProcess: !isReplaced }
  }
  if (runs(brought)) return { path: brought, isThisProcess: false }

  throw new SetupProblem(
    `trawl needs Node ${majorNeeded} or newer; this is ${process.versions.node}, and npm has none ` +
      `that runs on this machine (${process.platform} ${process.arch}).\n` +
      `Install Node ${majorNeeded} from https://nodejs.org, then run again.`,
    78,
  )
}

// Being there is not enough: on musl the file exists and cannot be started.
function runs(node) {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return Boolean(stdout) && majorOf(stdout) >= majorNeeded
}
