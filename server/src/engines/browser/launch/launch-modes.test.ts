import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainLaunch, launchModes } from './launch-modes.ts'

for (const { who, sandbox, isRoot, ways } of [
  { who: 'a user', sandbox: 'auto', isRoot: false, ways: ['self on'] },
  { who: 'a user', sandbox: 'require', isRoot: false, ways: ['self on'] },
  { who: 'a user', sandbox: 'off', isRoot: false, ways: ['self off'] },
  { who: 'root', sandbox: 'auto', isRoot: true, ways: ['nobody on', 'nobody off', 'self off'] },
  { who: 'root', sandbox: 'require', isRoot: true, ways: ['nobody on'] },
  { who: 'root', sandbox: 'off', isRoot: true, ways: ['nobody off', 'self off'] },
] as const) {
  test(`with the sandbox "${sandbox}" ${who} tries: ${ways.join(', ')}`, () => {
    const tried = launchModes({ sandbox, isRoot }).map(
      (way) => `${way.asNobody ? 'nobody' : 'self'} ${way.sandbox}`,
    )

    assert.deepEqual(tried, ways)
  })
}

test('a machine without user namespaces gets both fixes named', () => {
  const explanation = explainLaunch('[FATAL:zygote_host_impl_linux.cc] No usable sandbox! If …', {
    asNobody: false,
    sandbox: 'on',
  })

  assert.match(explanation, /AppArmor profile/)
  assert.match(explanation, /TRAWL_BROWSER_SANDBOX=off/)
})
