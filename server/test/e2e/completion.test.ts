import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { bashCompletion } from '../../../cli/src/completion/bash-zsh-completion.ts'
import { allNodes, describeCommands } from '../../../cli/src/completion/command-tree.ts'
import { createWholeProgram } from '../../src/cli/whole-program.ts'
import { completionTrials } from '../support/completion-trials.ts'

const root = describeCommands(createWholeProgram())

/** Completes each line in one bash, with the function that `complete` names for the program. */
async function offeredByBash(lines: string[]): Promise<string[][]> {
  const script = `${bashCompletion(root)}
set -u
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  $(complete -p trawl | sed 's/.*-F \\([^ ]*\\).*/\\1/')
  echo "\${COMPREPLY[*]-}"
done`
  const running = promisify(execFile)('bash', ['--norc', '-c', script])
  running.child.stdin?.end(`${lines.join('\n')}\n`)
  const { stdout, stderr } = await running
  assert.equal(stderr, '')
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
}

test('bash completes commands, flags and the values of flags', async () => {
  const offered = await offeredByBash(completionTrials.map(([typed]) => typed))

  assert.deepEqual(
    offered,
    completionTrials.map(([, expected]) => expected),
  )
})

test('bash offers every command of the program, and every flag of each', async () => {
  const nodes = allNodes(root)
  const lines = nodes.flatMap(({ path }) => [`${path} `, `${path} --`])

  const offered = await offeredByBash(lines)

  for (const [index, { path, children, flags }] of nodes.entries()) {
    const verbs = children.map((child) => child.path.split(' ').at(-1))
    for (const verb of verbs)
      assert.ok(offered[index * 2]?.includes(String(verb)), `${path} ${verb}`)
    assert.deepEqual(
      offered[index * 2 + 1],
      flags.map(({ long }) => long),
      path,
    )
  }
})

test('every command says what it does, and list is also called ls', () => {
  for (const { path, about, aliases } of allNodes(root)) {
    assert.ok(about.length > 5, path)
    if (path.endsWith(' list')) assert.deepEqual(aliases, ['ls'], path)
  }
})
