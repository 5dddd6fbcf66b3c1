import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureDependencies } from './dependencies.mjs'
import { findNode } from './find-node.mjs'
import { watchParent } from './parent-watch.mjs'
import { runAsChild, runInThisProcess } from './run-program.mjs'
import { SetupProblem } from './setup-problem.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Words before the first TypeScript file are flags of Node, those after it arguments of the program. */
export function readCommandLine(words) {
  const fileAt = words.findIndex((word) => word.endsWith('.ts'))
  if (fileAt === -1) {
    console.error('Usage: node scripts/launch.mjs [node flags] <file.ts> [args…]')
    process.exit(64)
  }
  return {
    nodeFlags: words.slice(0, fileAt),
    file: words[fileAt],
    args: words.slice(fileAt + 1),
  }
}

/** The service needs production packages only; tests, checks and benchmarks need all of them. */
const dependencySetFor = (file) => (/^(server\/src|dashboard)\//.test(file) ? 'production' : 'all')

/** The programs that need the packages of the dashboard: its build, and the checks of its types. */
const dashboardSetFor = { dashboard: 'production', 'scripts/check.ts': 'all' }

/** Installs what the program needs, then runs it with the same arguments, streams and exit code. */
export async function launchProgram({ nodeFlags, file, args }) {
  const parent = watchParent()
  try {
    const { wasInstalled } = await ensureDependencies(root, dependencySetFor(file))
    // The dashboard has packages of its own, which the service does not wait for.
    const ofDashboard = dashboardSetFor[file.split('/')[0]] ?? dashboardSetFor[file]
    if (ofDashboard) await ensureDependencies(join(root, 'dashboard'), ofDashboard)
    const node = findNode(root, { wasInstalled })
    const program = { file: resolve(root, file), args }
    if (node.isThisProcess && nodeFlags.length === 0) await runInThisProcess(program)
    else process.exit(await runAsChild({ node: node.path, nodeFlags, ...program }, parent))
  } catch (problem) {
    if (!(problem instanceof SetupProblem)) throw problem
    console.error(problem.message)
    process.exit(problem.exitCode)
  }
}
