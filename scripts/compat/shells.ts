import { globSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zshCompletion } from '../../cli/src/completion/bash-zsh-completion.ts'
import { describeCommands } from '../../cli/src/completion/command-tree.ts'
import { fishCompletion } from '../../cli/src/completion/fish-completion.ts'
import { createWholeProgram } from '../../server/src/cli/whole-program.ts'
import { completionTrials } from '../../server/test/support/completion-trials.ts'
import {
  type DebianPrograms,
  findDebianPrograms,
} from '../../server/test/support/debian-programs.ts'
import { runCommand } from './command.ts'
import { runChecks } from './run-checks.ts'

const timeoutMs = 60_000

interface Shell {
  name: string
  script: string
  /** Returns what each line became, or what was offered for its last word. */
  complete(lines: string[], scriptPath: string, signal: AbortSignal): Promise<string>
  /** What `complete` returns if the shell offers exactly these. */
  expected(typed: string, offered: string[]): string
}

/** Completes commands in real zsh and fish, from Debian's packages where the machine has none. */
export async function tryShells(signal: AbortSignal) {
  const debian = await findDebianPrograms({
    name: 'shells',
    packages: ['zsh', 'zsh-static', 'fish'],
    programs: ['/usr/bin/zsh', '/usr/bin/zsh-static', '/usr/bin/fish'],
  })
  const root = describeCommands(createWholeProgram())
  const shells = [zsh(debian, zshCompletion(root)), fish(debian, fishCompletion(root))]
  return await runChecks(shells, signal, {
    sentence: ({ name }) => `${name} completes commands, flags and values`,
    async check(shell) {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'trawl-completion-'))
      const scriptPath = join(folder.path, 'completion')
      await writeFile(scriptPath, shell.script)
      const lines = completionTrials.map(([typed]) => typed)
      const output = await shell.complete(lines, scriptPath, signal)
      const expected = completionTrials.map((trial) => shell.expected(...trial)).join('')
      if (output !== expected) throw new Error(`\n${output}`)
    },
  })
}

function zsh({ pathOf, libraryPath }: DebianPrograms, script: string): Shell {
  const functions = pathOf('/usr/share/zsh/functions')
  const modules = globSync(`${functions.replace('/share/zsh/functions', '')}/lib/*/zsh/*`)
  return {
    name: 'zsh',
    script,
    async complete(lines, scriptPath, signal) {
      const { output } = await runCommand({
        program: pathOf('/usr/bin/zsh'),
        args: ['-f', fileURLToPath(new URL('complete.zsh', import.meta.url))],
        environment: {
          PATH: '/usr/bin:/bin',
          TERM: 'xterm',
          LD_LIBRARY_PATH: libraryPath,
          ZSH_TRIED: pathOf('/usr/bin/zsh-static'),
          ZSH_MODULES: modules.join(' '),
          ZSH_FUNCTIONS: [functions, ...globSync(`${functions}/**/`)].join(' '),
          COMPLETION_SCRIPT: scriptPath,
        },
        stdin: `${lines.join('\n')}\n`,
        timeoutMs,
        signal,
      })
      return output
    },
    expected: (typed, [only]) => `${typed.replace(/\S+$/, String(only))} \n`,
  }
}

const fish = ({ pathOf, libraryPath }: DebianPrograms, script: string): Shell => ({
  name: 'fish',
  script,
  async complete(lines, scriptPath, signal) {
    const program = 'source $argv[1]; for line in $argv[2..-1]; complete -C $line; echo; end'
    const { output } = await runCommand({
      program: pathOf('/usr/bin/fish'),
      args: ['--no-config', '-c', program, scriptPath, ...lines],
      environment: { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: libraryPath, HOME: tmpdir() },
      timeoutMs,
      signal,
    })
    return output.replaceAll(/\t.*/g, '')
  },
  expected: (_typed, offered) => `${offered.join('\n')}\n\n`,
})
