import type { BrowserSettings } from '../../install/browser-candidates.ts'

/** One way to start the browser: as whom, and with or without its sandbox. */
export interface LaunchMode {
  asNobody: boolean
  sandbox: 'on' | 'off'
}

/** As root the sandbox may be given up, and is reported; an ordinary user decides that himself. */
export function launchModes({
  sandbox,
  isRoot,
}: {
  sandbox: BrowserSettings['sandbox']
  isRoot: boolean
}): LaunchMode[] {
  const guarded: LaunchMode = { asNobody: isRoot, sandbox: 'on' }
  const open: LaunchMode[] = isRoot
    ? [
        { asNobody: true, sandbox: 'off' },
        { asNobody: false, sandbox: 'off' },
      ]
    : [{ asNobody: false, sandbox: 'off' }]
  const ways = { require: [guarded], off: open, auto: isRoot ? [guarded, ...open] : [guarded] }
  return ways[sandbox]
}

/** What a person reads when a browser did not start. */
export function explainLaunch(stderr: string, way: LaunchMode): string {
  const who = way.asNobody ? ' as nobody' : ''
  const how = way.sandbox === 'on' ? 'with its sandbox' : 'without its sandbox'
  if (stderr.includes('No usable sandbox')) {
    return (
      `Chromium${who} found no usable sandbox: user namespaces are not allowed here. ` +
      'Fix: add an AppArmor profile for it (or a seccomp profile to the container), ' +
      'or set TRAWL_BROWSER_SANDBOX=off.'
    )
  }
  if (way.asNobody && stderr.includes('EACCES')) {
    return 'The user nobody cannot reach Chromium: let others enter the folders above it.'
  }
  const lastLine = stderr.trim().split('\n').at(-1) || 'it printed nothing'
  return `Chromium${who} did not start ${how}: ${lastLine}.`
}
