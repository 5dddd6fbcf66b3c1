import type { BrowserSettings } from '../../install/browser-candidates.ts'

/** How to start the browser: as which user, and with or without its sandbox. */
export interface LaunchMode {
  asNobody: boolean
  sandbox: 'on' | 'off'
}

/** The modes to try, in order. `auto` gives up the sandbox as root only, for containers. */
export function launchModes(settings: {
  sandbox: BrowserSettings['sandbox']
  isRoot: boolean
}): LaunchMode[] {
  const { sandbox, isRoot } = settings
  const sandboxed: LaunchMode = { asNobody: isRoot, sandbox: 'on' }
  const unsandboxed: LaunchMode[] = isRoot
    ? [
        { asNobody: true, sandbox: 'off' },
        { asNobody: false, sandbox: 'off' },
      ]
    : [{ asNobody: false, sandbox: 'off' }]
  const fallback = isRoot ? unsandboxed : []
  const modes = { require: [sandboxed], off: unsandboxed, auto: [sandboxed, ...fallback] }
  return modes[sandbox]
}

/** Explains to the operator why the browser did not start, and what to do. */
export function explainLaunch(stderr: string, mode: LaunchMode): string {
  const who = mode.asNobody ? ' as nobody' : ''
  const how = mode.sandbox === 'on' ? 'with its sandbox' : 'without its sandbox'
  if (stderr.includes('No usable sandbox')) {
    return (
      `Chromium${who} found no usable sandbox: user namespaces are not allowed here. ` +
      'Fix: add an AppArmor profile for it (or a seccomp profile to the container), ' +
      'or set TRAWL_BROWSER_SANDBOX=off.'
    )
  }
  if (mode.asNobody && stderr.includes('EACCES')) {
    return 'The user nobody cannot execute Chromium: run chmod o+x on the folders above it.'
  }
  const lastLine = stderr.trim().split('\n').at(-1) || 'it printed nothing'
  return `Chromium${who} did not start ${how}: ${lastLine}.`
}
