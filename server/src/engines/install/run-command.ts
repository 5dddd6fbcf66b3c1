import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a command to its end. A command that cannot be started counts as failed. */
export type RunCommand = (
  command: string,
  args: readonly string[],
  folder?: string,
) => Promise<{ isDone: boolean; stdout: string }>

/** Writes the command and its output to our stdout, which is the installer's log. */
export const runLogged: RunCommand = async (command, args, folder = '/') => {
  process.stdout.write(`$ ${command} ${args.join(' ')}\n`)
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    process.stdout.write(chunk)
  })
  try {
    const [exitCode] = await once(child, 'close')
    return { isDone: exitCode === 0, stdout }
  } catch (error) {
    process.stdout.write(`E: ${String(error)}\n`)
    return { isDone: false, stdout }
  }
}
