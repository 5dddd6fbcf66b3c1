import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicUrlOf } from './find-repository.ts'

for (const origin of [
  'https://git.example/team/trawl.git',
  'https://git.example/team/trawl/',
  'https://someone:secret@git.example/team/trawl',
  'ssh://git@git.example:2222/team/trawl.git',
  'git@git.example:team/trawl.git',
]) {
  test(`the package names the repository of a clone of ${origin}`, () => {
    assert.equal(publicUrlOf(origin), 'git+https://git.example/team/trawl.git')
  })
}

for (const origin of ['', '/srv/trawl', '../trawl.git', 'file:///srv/trawl', './git.example/x']) {
  test(`the package names no repository for a clone of "${origin}"`, () => {
    assert.equal(publicUrlOf(origin), undefined)
  })
}
