const words =
  'harbour tide boat crew morning light window market letter garden river stone bridge winter story engine paper colour number village'.split(
    ' ',
  )

/** Text that depends on the position only, so that each run measures the same page. */
const sentence = (seed: number, length = 14): string => {
  const parts = Array.from({ length }, (_, at) => words[(seed * 7 + at * (seed % 11) + at) % 20])
  return `${parts.join(' ')} (${seed}).`
}

const section = (seed: number): string => `
<section id="s${seed}">
<h2>Part ${seed}: <em>${words[seed % 20]}</em></h2>
<p>${sentence(seed)} <a href="/notes/${seed}?from=here#top">${words[(seed + 3) % 20]} &amp; more</a>, <strong>${sentence(seed + 1, 6)}</strong> ${sentence(seed + 2)} <code>run(${seed})</code></p>
<ul>${[1, 2, 3].map((at) => `<li><a href="../list/${seed}/${at}">${sentence(seed + at, 5)}</a><ol><li>${sentence(at, 4)}</li></ol></li>`).join('')}</ul>
<table><thead><tr><th>Name</th><th>Count</th></tr></thead><tbody>${[1, 2, 3].map((at) => `<tr><td>${words[(seed + at) % 20]}</td><td>${seed * at}</td></tr>`).join('')}</tbody></table>
<pre><code class="language-js">const total = ${seed}\nfor (const one of list) total += one * 2 // ${words[seed % 20]}\n</code></pre>
<blockquote><p>${sentence(seed + 5)}</p></blockquote>
<figure><img src="/images/${seed}.jpg" alt="${words[seed % 20]}"><figcaption>${sentence(seed, 6)}</figcaption></figure>
</section>`

/** The same with more in it that differs, so that 47 KB take 20 KB as gzip, as pages in the wild do. */
export function makeDensePage(bytes: number): string {
  let state = 1
  const noise = (length: number): string => {
    let text = ''
    while (text.length < length) {
      state = (state * 48_271) % 2_147_483_647
      text += state.toString(36)
    }
    return text.slice(0, length)
  }
  const text = () => [5, 9, 4, 7, 3].map((length) => noise(length)).join(' ')
  return makeArticlePage(Math.round(bytes * 0.45)).replaceAll(
    /<(p|li|td|h2)>/g,
    (_, name) => `<${name} class="${noise(24)}">${text()} ${text()} `,
  )
}

/** An article of about this size with what articles have, inside a page with what surrounds them. */
export function makeArticlePage(bytes: number): string {
  const menu = Array.from({ length: 20 }, (_, at) => `<li><a href="/m/${at}">${words[at]}</a></li>`)
  const head =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tides of a harbour</title><style>p{margin:0}</style></head>'
  let html = `${head}<body><nav><ul>${menu.join('')}</ul></nav><main><article><h1>Tides of a harbour</h1>`
  for (let seed = 1; html.length < bytes; seed++) html += section(seed)
  return `${html}</article></main><footer><p>All rights reserved</p></footer></body></html>`
}
