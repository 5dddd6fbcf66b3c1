import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkClock, checkDns, checkFonts, checkNode } from '../runtime/machine/machine-checks.ts'
import { type DoctorFacts, formatDoctorReport, runDoctor } from './doctor.ts'

const facts: DoctorFacts = {
  browser: { flavor: 'shell', install: 'never', sandbox: 'auto', path: '/x/chrome' },
  dataDir: tmpdir(),
  pathFolders: [],
  dnsServers: ['127.0.0.1:1'],
  nowMs: Date.now(),
  tryStore: async () => 'sqlite, written and read',
  tryPort: async () => {
    throw new Error('Port 8080 is in use.')
  },
}

test('the doctor report has status, detail and fix for each check', async () => {
  const { checks, isHealthy } = await runDoctor(facts)
  const check = (wanted: string) => checks.find(({ name }) => name === wanted)

  assert.equal(isHealthy, false)
  assert.deepEqual(check('store'), {
    name: 'store',
    status: 'ok',
    detail: 'sqlite, written and read',
  })
  assert.deepEqual(check('port'), {
    name: 'port',
    status: 'broken',
    detail: 'Port 8080 is in use.',
    fix: 'Try: npm start -- --port 8081',
  })
  assert.equal(check('browser')?.status, 'broken')
  assert.equal(check('dns')?.status, 'warning')
})

test('a doctor report with warnings is healthy, one with a broken check is not', async () => {
  const report = await runDoctor({ ...facts, browser: noBrowser, tryPort: async () => 'free' })

  assert.equal(report.checks.find(({ name }) => name === 'dns')?.status, 'warning')
  assert.equal(report.isHealthy, true)
  assert.match(formatDoctorReport(report), /^ok {7}node .+Ready to run\.$/s)
})

const noBrowser = { flavor: 'shell', install: 'never', sandbox: 'auto' } as const

test('the doctor reports a Node older than 24 as broken', () => {
  assert.equal(checkNode('v22.21.0').status, 'broken')
  assert.equal(checkNode('v24.0.0').status, 'ok')
})

test('the doctor reports a clock behind the date of the sources as broken', async () => {
  assert.equal((await checkClock(0)).status, 'broken')
  assert.equal((await checkClock(Date.now())).status, 'ok')
})

test('the doctor warns about a DNS server that does not respond, with its address', async () => {
  const verdict = await checkDns('example.com', ['127.0.0.1:1'])

  assert.equal(verdict.status, 'warning')
  assert.match(verdict.detail, /^127\.0\.0\.1:1 did not resolve example\.com/)
})

test('the doctor counts the font files of all folders and warns if there are none', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trawl-fonts-'))
  t.after(() => rm(folder, { recursive: true, force: true }))

  const without = await checkFonts('linux', [folder])
  await writeFile(join(folder, 'a.ttf'), '')
  const withOne = await checkFonts('linux', [folder, '/nowhere'])

  assert.equal(without.status, 'warning')
  assert.equal(withOne.detail, 'font files: 1')
})
