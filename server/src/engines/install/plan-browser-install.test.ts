import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Machine, parseOsRelease, planBrowserInstall } from './plan-browser-install.ts'

const machine = (over: Omit<Partial<Machine>, 'osRelease'> & { os?: string }): Machine => ({
  platform: 'linux',
  osRelease: parseOsRelease(over.os ?? ''),
  isRoot: true,
  hasApt: true,
  ...over,
})
const debian12 = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n'
const debian13 = 'VERSION_ID="13"\nID=debian\n'

const shell = 'chromium-headless-shell'
const fonts = ['fonts-liberation', 'fonts-noto-color-emoji']

for (const { where, os } of [
  { where: 'Debian 12', os: debian12 },
  { where: 'Debian 13', os: debian13 },
  { where: 'Debian testing', os: 'ID=debian\n' },
  { where: 'Raspbian', os: 'ID=raspbian\nID_LIKE=debian\n' },
]) {
  test(`on ${where}, apt installs the headless shell and fonts for root`, () => {
    assert.deepEqual(planBrowserInstall(machine({ os }), 'shell'), {
      method: 'apt',
      packages: [shell, ...fonts],
      browserPackage: shell,
    })
  })
}

test('for a user the browser is unpacked with all files that belong beside its program', () => {
  assert.deepEqual(planBrowserInstall(machine({ os: debian13, isRoot: false }), 'shell'), {
    method: 'unpack',
    packages: ['chromium-common', shell, ...fonts],
    browserPackage: shell,
  })
})

test('with the flavor chrome the package chromium is installed', () => {
  const plan = planBrowserInstall(machine({ os: debian12 }), 'chrome')

  assert.equal(plan.method !== 'none' && plan.browserPackage, 'chromium')
})

for (const { where, on, advice } of [
  {
    where: 'Ubuntu, whose package is a snap stub,',
    on: machine({ os: 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n' }),
    advice: /snap stub.+google\.com\/chrome/,
  },
  {
    where: 'Linux Mint',
    on: machine({ os: 'ID=linuxmint\nID_LIKE="ubuntu debian"\n' }),
    advice: /snap stub/,
  },
  {
    where: 'Debian 11',
    on: machine({ os: 'ID=debian\nVERSION_ID="11"\n' }),
    advice: /apt install/,
  },
  { where: 'Debian without apt', on: machine({ os: debian12, hasApt: false }), advice: /chromium/ },
  {
    where: 'Fedora',
    on: machine({ os: 'ID=fedora\nVERSION_ID=43\n', hasApt: false }),
    advice: /dnf install chromium-headless/,
  },
  {
    where: 'Rocky',
    on: machine({ os: 'ID="rocky"\nID_LIKE="rhel centos fedora"\n' }),
    advice: /dnf/,
  },
  {
    where: 'Alpine',
    on: machine({ os: 'ID=alpine\n', hasApt: false }),
    advice: /apk add chromium/,
  },
  { where: 'macOS', on: machine({ platform: 'darwin', hasApt: false }), advice: /brew install/ },
  { where: 'Windows', on: machine({ platform: 'win32', hasApt: false }), advice: /winget install/ },
  { where: 'an unknown system', on: machine({ os: 'ID=plan9\n' }), advice: /Install Chromium/ },
]) {
  test(`on ${where} nothing is installed and the operator gets advice`, () => {
    const plan = planBrowserInstall(on, 'shell')

    assert.ok(plan.method === 'none')
    assert.match(plan.advice, advice)
    assert.match(plan.advice, /Or set TRAWL_BROWSER_PATH\.$/)
  })
}
