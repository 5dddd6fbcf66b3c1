/** The colour that a token has now, for canvases, which know no custom properties. */
export function tokenColour(token: string): string {
  const probe = findProbe()
  probe.style.color = `var(${token})`
  return getComputedStyle(probe).color
}

const probeId = 'token-probe'

function findProbe(): HTMLElement {
  const known = document.getElementById(probeId)
  if (known) return known
  const probe = document.createElement('span')
  probe.id = probeId
  probe.hidden = true
  document.body.append(probe)
  return probe
}
