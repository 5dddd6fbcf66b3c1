#!/usr/bin/env node
// The command `npx trawl`: the same launcher as the npm scripts use, so any Node from 18 on will do.
import '../../scripts/launch/refuse-old-node.mjs'

const { launchProgram } = await import('../../scripts/launch/launch-program.mjs')
await launchProgram({
  nodeFlags: [],
  file: 'server/src/cli.ts',
  args: process.argv.slice(2),
})
