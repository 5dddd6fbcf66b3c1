import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainLaunch, launchModes } from './launch-modes.ts'

for (const { who, sandbox, isRoot, modes } of [
  { who: 'a user', sandbox: 'auto', isRoot: false, modes: ['self on'] },
  { who: 'a user', sandbox: 'require', isRoot: false, modes: ['self on'] },
  { who: 'a user', sandbox: 'off', isRoot: false, modes: ['self off'] },
  { who: 'root', sandbox: 'auto', isRoot: true, modes: ['nobody on', 'nobody off', 'self off'] },
  { who: 'root', sandbox: 'require', isRoot: true, modes: ['nobody on'] },
  { who: 'root', sandbox: 'off', isRoot: true, modes: ['nobody off', 'self off'] },
] as const) {
  test(`with the sandbox setting "${sandbox}", ${who} tries these launch modes: ${modes.join(', ')}`, () => {
    const tried = launchModes({ sandbox, isRoot }).map(
      (mode) => `${mode.asNobody ? 'nobody' : 'self'} ${mode.sandbox}`,
    )

    assert.deepEqual(tried, modes)
  })
}

test('the error on a machine without user namespaces names both fixes', () => {
  const explanation = explainLaunch('[FATAL:zygote_host_impl_linux.cc] No usable sandbox! If …', {
    asNobody: false,
    sandbox: 'on',
  })

  assert.match(explanation, /AppArmor profile/)
  assert.match(explanation, /TRAWL_BROWSER_SANDBOX=off/)
})
