import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installWithApt } from './install-with-apt.ts'
import type { RunCommand } from './run-command.ts'

for (const { when, answers, verbs } of [
  { when: 'the lists know the package', answers: [true, true], verbs: ['simulate', 'install'] },
  {
    when: 'the lists are empty',
    answers: [false, true, true],
    verbs: ['simulate', 'update', 'install'],
  },
  {
    when: 'the lists are too old',
    answers: [true, false, true, true],
    verbs: ['simulate', 'install', 'update', 'install'],
  },
]) {
  test(`when ${when}, apt is asked to ${verbs.join(', ')}`, async () => {
    const { run, asked } = answering(answers)

    await installWithApt(['chromium-headless-shell'], run)

    assert.deepEqual(asked, verbs)
  })
}

test('an installation that fails twice is an error', async () => {
  const { run } = answering([true, false, true, false])

  await assert.rejects(installWithApt(['chromium'], run), /could not install chromium/)
})

function answering(answers: boolean[]): { run: RunCommand; asked: string[] } {
  const asked: string[] = []
  const run: RunCommand = async (_command, args) => {
    asked.push(args.includes('--simulate') ? 'simulate' : (args[0] ?? ''))
    return { isDone: answers[asked.length - 1] ?? false, stdout: '' }
  }
  return { run, asked }
}
