/** Runs in the page, before its own scripts. */
globalThis.violations = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  globalThis.violations.push(`${violatedDirective}: ${blockedURI} ${sample}`),
)

/** Elements and attributes that this dashboard never writes itself, and traces of scripts that ran. */
globalThis.findForeign = () => {
  const fields = [...document.querySelectorAll('input, textarea')].map(({ value }) => value)
  if ([document.body.innerText, ...fields].some((text) => /__ran|alert\(1\)/.test(text))) {
    globalThis.wasShown = true
  }
  const ours = `${location.origin}/`
  const found = [...globalThis.violations]
  if (globalThis.__ran !== undefined) found.push('a script ran')
  const never =
    'object, embed, base, frame, frameset, marquee, math, template, form[action], [srcdoc], [ping], meta[http-equiv], iframe:not([sandbox=""]), script:not([src^="/app/assets/"]), area, portal'
  for (const element of document.querySelectorAll('*')) {
    const name = element.outerHTML.slice(0, 200)
    if (element.matches(never)) found.push(`foreign element: ${name}`)
    for (const { name: attribute, value } of element.attributes) {
      if (/^on/i.test(attribute)) found.push(`handler: ${name}`)
      if (attribute === 'style' && /url\(|expression/i.test(value)) found.push(`style: ${name}`)
    }
    const isLoaded = element.matches('img, iframe, source, video, audio, link, image, use, script')
    const address = element.src || element.href?.baseVal || element.href || ''
    const isHarmless = element.matches('link[rel="icon"]') || String(address).startsWith(ours)
    if (isLoaded && address !== '' && !isHarmless) found.push(`foreign address: ${name}`)
    if (element.matches('a[href]')) {
      const isOut = !element.href.startsWith(ours)
      const isSafe = /^https?:/.test(element.href) && /noopener/.test(element.rel)
      if (isOut && !isSafe) found.push(`link: ${name}`)
    }
  }
  return found
}

globalThis.afterPaint = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

/** Returns how many things it opened. What is foreign in one of them may be gone with the next. */
globalThis.openWhatIsClosed = async () => {
  const closed = [
    ...document.querySelectorAll(
      'main details:not([open]) > summary, main button[aria-expanded="false"], main button[aria-pressed="false"], main [role="tab"]',
    ),
  ].filter((element) => !element.wasOpened && !element.disabled)
  const found = new Set()
  for (const element of closed) {
    element.wasOpened = true
    element.click()
    await globalThis.afterPaint()
    for (const one of globalThis.findForeign()) found.add(one)
  }
  globalThis.findForeign()
  globalThis.violations.push(...found)
  return closed.length
}

/** As the page of a task does, a few at a time. Returns how many were loaded. */
globalThis.showPreviews = async (addresses) => {
  const waiting = [...addresses]
  let shown = 0
  const work = async () => {
    for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
      const frame = document.createElement('iframe')
      frame.setAttribute('sandbox', '')
      frame.src = address
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
      document.body.append(frame)
      await loaded
      await globalThis.afterPaint()
      shown++
      frame.remove()
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return shown
}
