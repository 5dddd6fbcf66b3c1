import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the program of an installed package; rejects with its output if it fails. */
export async function runTool(program: string, args: string[], cwd = root): Promise<string> {
  const path = join(root, 'node_modules', program)
  try {
    const { stdout } = await run(process.execPath, [path, ...args], { cwd, maxBuffer: 2 ** 24 })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} failed:\n${stdout}\n${stderr}`)
  }
}
