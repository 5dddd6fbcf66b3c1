import { pdfOf } from './pdf-of.ts'
import type { ExamplePage } from './scripted-pages.ts'

const page = (head: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notes from a harbour</title>${head}</head><body>${body}</body></html>`

const analytics =
  '<script async src="https://tags.example/gtag.js"></script><script>window.layer=[];layer.push("page")</script>'
const tagFrame = '<noscript><iframe src="https://tags.example/ns.html"></iframe></noscript>'
const bundle = '<script type="module" src="/assets/index-d41d8c.js"></script>'
const sentence =
  'The boats leave before dawn, and those who want to see them must get up early and walk down to the pier. '
const article = `<article><h1>Before dawn</h1>${`<p>${sentence}</p>`.repeat(20)}</article>`
const paragraph = `<p>${sentence.repeat(4)}</p>`
const menu =
  '<nav><a href="/">Home</a><a href="/tides">Tides</a><a href="/boats">Boats</a><a href="/map">Map</a></nav>'

const html = (name: string, text: string, headers?: Record<string, string>): ExamplePage => ({
  name,
  verdict: 'static',
  html: text,
  ...(headers && { headers }),
})

/** Pages whose HTML has what they are asked for, and other kinds of content. */
export const staticPages: ExamplePage[] = [
  html('an article with analytics', page(analytics, menu + article + tagFrame)),
  html('a page without scripts', page('', '<h1>It works!</h1>')),
  html('an empty page', page('', '')),
  html('no content at all', ''),
  html('text that is not marked up', 'Just a line of text'),
  html('a server-rendered React page', page(bundle, `<div id="root">${article}</div>`)),
  html(
    'a server-rendered Next.js page',
    page(
      '<script src="/_next/static/chunks/main.js" defer></script>',
      `<div id="__next">${menu}<main>${article}</main></div><script id="__NEXT_DATA__" type="application/json">{}</script>`,
    ),
  ),
  html(
    'a server-rendered Nuxt page that is short',
    page(
      '',
      `<div id="__nuxt"><h1>Tides</h1>${paragraph}</div><script src="/_nuxt/entry.js"></script>`,
    ),
  ),
  html(
    'a pre-rendered page with the noscript text of its starter',
    page(
      bundle,
      `<noscript>You need to enable JavaScript to run this app.</noscript><div id="root">${menu}${paragraph}</div>`,
    ),
  ),
  html(
    'a server-rendered Angular page',
    page(
      '',
      `<app-root ng-version="19.0.0">${article}</app-root><script src="main.js" type="module"></script>`,
    ),
  ),
  html(
    'an article with an empty root for a widget',
    page('', `${article}<div id="comments-app"></div><script src="/comments.js"></script>`),
  ),
  html(
    'a forum that asks for scripts and works without',
    page(
      '',
      `${article}<noscript>Please enable JavaScript for a better experience.</noscript>${analytics}`,
    ),
  ),
  html(
    'a page about JavaScript',
    page(
      analytics,
      `<h1>JavaScript for sailors</h1>${paragraph}<p>The language is old. It is everywhere.</p>${menu}`,
    ),
  ),
  html(
    'documentation of templates',
    page(analytics, `${article}<pre>&lt;li v-for="x in xs"&gt;{{ x }}&lt;/li&gt;</pre>`),
  ),
  html(
    'a short page that shows template syntax',
    page(
      analytics,
      `<h1>Templates</h1><p>Write {{ name }} where the name is to be.</p>${paragraph}${menu}`,
    ),
  ),
  html(
    'a form to sign in',
    page(
      analytics,
      '<form method="post"><label>Name <input name="n"></label><label>Password <input type="password" name="p"></label><button>Sign in</button></form>',
    ),
  ),
  html(
    'a server-rendered form to sign in',
    page(
      bundle,
      '<div id="__next"><form><input name="n"><input type="password" name="p"><button>Sign in</button></form></div>',
    ),
  ),
  html(
    'a gallery of images',
    page(
      analytics,
      Array.from({ length: 12 }, (_, at) => `<img src="/${at}.jpg" alt="">`).join(''),
    ),
  ),
  html(
    'a list of links',
    page(analytics, `<ul>${'<li><a href="/a">A boat</a></li>'.repeat(8)}</ul>`),
  ),
  html(
    'a page of an error',
    page(
      analytics,
      '<h1>404</h1><p>The page was not found. Go back, or search for it with the form.</p>',
    ),
  ),
  html(
    'a page in Chinese',
    page(analytics, `<p>${'潮汐表每天更新，渔船在黎明前出发。'.repeat(6)}</p>`),
  ),
  html(
    'a page in Arabic',
    page(analytics, `<p dir="rtl">${'تغادر القوارب قبل الفجر كل يوم. '.repeat(30)}</p>`),
  ),
  html(
    'a page that reloads itself',
    page('<meta http-equiv="refresh" content="300">', `<h1>Tides now</h1>${paragraph}`),
  ),
  html(
    'an article that moves on after a minute',
    page('<meta http-equiv="refresh" content="60;url=/next">', `<h1>Tides now</h1>${paragraph}`),
  ),
  html(
    'an article with a script that breaks out of frames',
    page('<script>if (top !== self) top.location = self.location</script>', article),
  ),
  html(
    'an article behind a firewall that adds its script to every page',
    page('', `${article}<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`),
  ),
  html(
    'frames',
    '<html><head><script>var a = 1</script></head><frameset cols="20%,80%"><frame src="/menu"><frame src="/page"></frameset></html>',
  ),
  html(
    'old HTML without end tags',
    `<HTML><HEAD><TITLE>Tides</TITLE><SCRIPT>var a</SCRIPT><BODY bgcolor=white><H1>Tides<P>${sentence.repeat(5)}<P>${sentence}<TABLE><TR><TD>06:12<TD>18:40</TABLE>`,
  ),
  html(
    'structured data, no scripts that run',
    page(
      '<script type="application/ld+json">{"@type":"Place"}</script>',
      '<div id="app"></div><p>Closed</p>',
    ),
  ),
  html(
    'an article below icons with empty titles',
    page(
      analytics,
      `<svg class="gap"/><svg viewBox="0 0 9 9"><title/><path d="M0 0h9"/></svg>${article}`,
    ),
  ),
  html('JSON', '{"html":"<div id=\\"root\\"></div><script src=app.js></script>"}', {
    'content-type': 'application/json',
  }),
  html('a feed', '<?xml version="1.0"?><rss><channel><title>t</title></channel></rss>', {
    'content-type': 'application/rss+xml',
  }),
  html('plain text with markup', '<div id="root"></div><script src="/app.js"></script>', {
    'content-type': 'text/plain; charset=utf-8',
  }),
  html('a PDF', pdfOf([[[12, 50, 700, '<script>']]]).toString('latin1'), {
    'content-type': 'application/pdf',
  }),
  html(
    'a list whose first items the server has rendered',
    page(
      analytics,
      `<header>${menu}</header><h1>Boats</h1><ul>${'<li><a href="/b"><img src="/b.jpg" alt="">A boat</a> 40 ft</li>'.repeat(10)}</ul><div id="more"></div><script src="/more.js"></script>`,
    ),
  ),
  html(
    'an article whose images load late',
    page(
      analytics,
      `${menu}${`<p>${sentence}</p><img data-src="/a.jpg"><noscript><img src="/a.jpg"></noscript>`.repeat(12)}`,
    ),
  ),
  html(
    'a short article beside the empty root of a consent banner',
    page(
      '<script src="https://consent.example/cmp.js"></script>',
      `<div id="consent-app"></div><header>${menu}</header>${paragraph}`,
    ),
  ),
  html(
    'a wall of consent that the server has rendered',
    page(
      '<script src="/cmp.js"></script>',
      `<h1>Before you continue</h1><p>We use cookies to measure how our pages are read and to show advertising. You can accept them, or pay for a subscription and read without them.</p><form><button>Accept</button><button>Subscribe</button></form>`,
    ),
  ),
  html(
    'islands of components in a server-rendered page',
    page(
      '<script type="module" src="/_astro/page.js"></script>',
      `<main><h1>Tides</h1>${paragraph}<astro-island uid="1" component-url="/_astro/Counter.js"><button>0</button></astro-island></main>`,
    ),
  ),
  html(
    'a server-rendered SvelteKit page',
    page(
      '',
      `<div style="display: contents"><h1>Tides</h1>${paragraph}<script>{Promise.all([import("/_app/start.js")])}</script></div>`,
    ),
  ),
  html(
    'a blog with the scripts and containers of its system',
    page(
      '<script src="/wp-includes/js/jquery.min.js"></script>',
      `<header>${menu}</header><div id="page"><div id="content"><article><h1>Tides</h1>${paragraph}</article><div id="secondary"></div></div></div>`,
    ),
  ),
  html(
    'a form to search between a header and a footer',
    page(
      '<script src="/s.js"></script>',
      `<header>${menu}</header><form action="/search"><input name="q"><button>Search</button></form><footer>${menu}</footer>`,
    ),
  ),
  html(
    'a list of files',
    '<html><head><title>Index of /</title></head><body><h1>Index of /</h1><hr><pre><a href="../">../</a>\n<a href="a.txt">a.txt</a> 12\n</pre></body></html>',
  ),
]
