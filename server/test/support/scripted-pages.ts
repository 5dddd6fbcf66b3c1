import type { PageVerdict } from '../../src/domain/scrape/engine-reason.ts'

export interface ExamplePage {
  name: string
  verdict: PageVerdict
  html: string
  headers?: Record<string, string>
}

const page = (head: string, body: string, bodyAttributes = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop for fishing gear and everything around it</title>${head}</head><body${bodyAttributes}>${body}</body></html>`

const styles = `<style>${'.card{display:grid;color:#123456}'.repeat(200)}</style>`
const analytics =
  '<script async src="https://tags.example/gtag.js"></script><script>window.layer=[];layer.push("page")</script>'
const menu =
  '<header><nav><a href="/">Home</a> <a href="/rods">Rods</a> <a href="/reels">Reels</a> <a href="/bait">Bait</a></nav></header>'
const footer =
  '<footer><p>Fishing since 1974. All prices include taxes. We ship to most countries within a week.</p><a href="/imprint">Imprint</a></footer>'

/** Pages that are empty, or nearly so, until their scripts have run. */
export const scriptedPages: ExamplePage[] = [
  {
    name: 'React with the noscript text of its starter',
    verdict: 'empty_app_root',
    html: page(
      '<script defer src="/static/js/main.8f3a.js"></script>',
      '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
    ),
  },
  {
    name: 'Vue from Vite',
    verdict: 'empty_app_root',
    html: page(
      '<script type="module" crossorigin src="/assets/index-d41d8c.js"></script>',
      '<div id="app"></div>',
    ),
  },
  {
    name: 'Angular with a loading text',
    verdict: 'empty_app_root',
    html: page(
      '<base href="/">',
      '<app-root>Loading…</app-root><script src="runtime.1a.js" type="module"></script><script src="main.2b.js" type="module"></script>',
    ),
  },
  {
    name: 'a Next.js page that renders in the browser alone',
    verdict: 'empty_app_root',
    html: page(
      styles,
      `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"text":"${'long '.repeat(400)}"}}</script><script src="/_next/static/chunks/main.js" defer></script>`,
    ),
  },
  {
    name: 'Nuxt without server rendering, with a spinner and large styles',
    verdict: 'empty_app_root',
    html: page(
      styles,
      '<div id="__nuxt"><svg class="spin"><path d="M0 0h24v24H0z"/></svg></div><script>window.__NUXT__={}</script><script type="module" src="/_nuxt/entry.js"></script>',
    ),
  },
  {
    name: 'Gatsby in development',
    verdict: 'empty_app_root',
    html: page('', '<div id="___gatsby"></div><script src="/commons.js"></script>'),
  },
  {
    name: 'an application root between a menu and a footer of the server',
    verdict: 'empty_app_root',
    html: page(
      analytics,
      `${menu}<div id="product-app"></div>${footer}<script src="/app.js"></script>`,
    ),
  },
  {
    name: 'a main element that scripts fill',
    verdict: 'empty_app_root',
    html: page(
      '',
      `${menu}<main><div class="spinner"></div></main>${footer}<script src="/list.js"></script>`,
    ),
  },
  {
    name: 'a root with a logo and a sentence about loading',
    verdict: 'empty_app_root',
    html: page(
      '',
      '<div id="root"><img src="/logo.svg" alt=""><p>Please wait while we are loading the application and your settings for you.</p></div><script src="/bundle.js"></script>',
    ),
  },
  {
    name: 'a root with a sentence about loading in Japanese',
    verdict: 'empty_app_root',
    html: page(
      '',
      '<div id="app"><p>読み込み中です。しばらくお待ちください。</p></div><script src="/app.js"></script>',
    ),
  },
  {
    name: 'Blazor',
    verdict: 'empty_app_root',
    html: page('', '<app>Loading...</app><script src="_framework/blazor.webassembly.js"></script>'),
  },
  {
    name: 'a custom element as the application',
    verdict: 'empty_app_root',
    html: page('<script type="module" src="/build/shop-app.js"></script>', '<shop-app></shop-app>'),
  },
  {
    name: 'react-rails, whose component is in attributes',
    verdict: 'empty_app_root',
    html: page(
      '',
      `${menu}<div data-react-class="Products" data-react-props="{&quot;items&quot;:[1,2,3]}"></div><script src="/packs/application.js"></script>`,
    ),
  },
  {
    name: 'an AngularJS view',
    verdict: 'empty_app_root',
    html: page(
      '',
      '<div ng-view></div><script src="/js/angular.min.js"></script>',
      ' ng-app="shop"',
    ),
  },
  {
    name: 'AngularJS templates in the page',
    verdict: 'unrendered_template',
    html: page(
      '<script src="/js/angular.min.js"></script>',
      `${menu}<ul><li ng-repeat="item in items">{{ item.name }} costs {{ item.price | currency }}</li></ul>${footer}`,
      ' ng-app="shop" ng-controller="List"',
    ),
  },
  {
    name: 'Vue templates in the page',
    verdict: 'unrendered_template',
    html: page(
      '',
      `<div class="list" v-cloak><h1>{{ title }}</h1><p v-for="one in all">{{ one }}</p></div>${footer}<script src="/vue.js"></script>`,
    ),
  },
  ...[
    ['English', 'Please enable JavaScript to view this page.'],
    ['German', 'Bitte aktivieren Sie JavaScript in Ihrem Browser.'],
    ['French', 'Veuillez activer JavaScript pour continuer.'],
    ['Spanish', 'Necesita habilitar JavaScript para usar esta aplicación.'],
    ['Russian', 'Для работы сайта включите JavaScript.'],
    ['Chinese', '请启用JavaScript以继续。'],
    ['Japanese', 'JavaScriptを有効にしてください。'],
    ['Korean', '자바스크립트를 활성화해 주세요.'],
    ['Arabic', 'يرجى تفعيل جافا سكريبت'],
  ].map(
    ([language, demand]): ExamplePage => ({
      name: `a noscript demand in ${language} beside a menu`,
      verdict: 'noscript_demand',
      html: page(
        '',
        `${menu}<div class="content"></div><noscript><p>${demand}</p></noscript>${footer}<script src="/s.js"></script>`,
      ),
    }),
  ),
  {
    name: 'a demand that scripts replace, without noscript',
    verdict: 'noscript_demand',
    html: page(
      '',
      '<div class="box"><h1>One more step</h1><p>This site requires JavaScript. Turn on scripts in the settings of your browser and load the page again, then you will see our catalogue with all its articles.</p></div><script src="/s.js"></script>',
    ),
  },
  {
    name: 'a page for those without scripts',
    verdict: 'noscript_demand',
    html: page(
      '<noscript><meta http-equiv="refresh" content="0;url=/plain"></noscript>',
      `${menu}<div class="results"></div>${footer}<script src="/s.js"></script>`,
    ),
  },
  {
    name: 'a body of scripts alone',
    verdict: 'script_shell',
    html: page('', '<script src="/flutter_bootstrap.js" async></script>'),
  },
  {
    name: 'a page that writes itself',
    verdict: 'script_shell',
    html: page('', '<script>document.write("<h1>" + "Hello".repeat(100) + "</h1>")</script>'),
  },
  {
    name: 'a container with a name of its own',
    verdict: 'script_shell',
    html: page(
      analytics,
      '<div class="wrap"><div id="kiosk"></div></div><script src="/kiosk.js"></script>',
    ),
  },
  {
    name: 'a splash screen of an unknown framework',
    verdict: 'script_shell',
    html: page(
      '<script type="module" src="/entry.mjs"></script>',
      '<div class="splash"><h1>Harbour Control</h1><p>Starting the control room. Ships appear on the map as soon as they report.</p></div>',
    ),
  },
  {
    name: 'a splash screen of images',
    verdict: 'script_shell',
    html: page(
      '',
      '<picture id="splash"><source srcset="/dark.png" media="(prefers-color-scheme: dark)"><img src="/light.png" alt=""></picture><picture><img src="/brand.png" alt=""></picture><script src="/flutter_bootstrap.js" async></script>',
    ),
  },
  {
    name: 'labels whose values a script fills in',
    verdict: 'script_shell',
    html: page(
      '<script src="/weather.js"></script>',
      `<select id="harbour">${'<option>A harbour in the north</option>'.repeat(5)}</select><h1 id="place"></h1><h2 id="country"> </h2><p><b>Wind direction:</b> <span id="direction"></span></p><p><b>Wind speed:</b> <span id="speed"></span></p><p><b>Temperature:</b> <span id="degrees"></span></p>`,
    ),
  },
  {
    name: 'Blazor with its hidden message of an error',
    verdict: 'empty_app_root',
    html: page(
      '',
      '<div id="app"><svg class="progress"><circle r="40%"/></svg><div class="text"></div></div><div id="error">Something went wrong here. <a href="">Try it again</a></div><script src="_framework/blazor.webassembly.js"></script>',
    ),
  },
  {
    name: 'a page without a body element',
    verdict: 'script_shell',
    html: '<title>App</title><script src="/start.js"></script>',
  },
  {
    name: 'a challenge by the header of Cloudflare',
    verdict: 'script_challenge',
    headers: { 'cf-mitigated': 'challenge' },
    html: page('', `<h1>Just a moment</h1><p>${'Checking your browser. '.repeat(100)}</p>`),
  },
  {
    name: 'a challenge by the header of AWS WAF',
    verdict: 'script_challenge',
    headers: { 'x-amzn-waf-action': 'challenge' },
    html: page(
      '<script src="https://token.example/challenge.js"></script>',
      '<div id="box"></div>',
    ),
  },
  {
    name: 'a challenge of Cloudflare behind a proxy that drops headers',
    verdict: 'script_challenge',
    html: page('', '<h2>One moment</h2><script>window._cf_chl_opt={cType:"managed"}</script>'),
  },
  {
    name: 'a challenge of Incapsula',
    verdict: 'script_challenge',
    html: page('<script src="/_Incapsula_Resource?SWJIYLWA=5"></script>', ''),
  },
  {
    name: 'a proof of work',
    verdict: 'script_challenge',
    html: page(
      '<script id="anubis_challenge" type="application/json">{"rules":{}}</script>',
      '<main><h1>Making sure you are not a bot!</h1><p>Calculating…</p></main><script type="module" src="/x/main.mjs"></script>',
    ),
  },
  {
    name: 'a redirect by script',
    verdict: 'client_redirect',
    html: page(
      '',
      '<p>You are being redirected to our new address.</p><script>window.location.replace("/new")</script>',
    ),
  },
  {
    name: 'a cookie set by script before the page is loaded again',
    verdict: 'client_redirect',
    html: page(
      '',
      '<script>document.cookie="k=1";location.href = "/?again=1"</script><p>Checking the request before it is passed on.</p>',
    ),
  },
  {
    name: 'a redirect by a meta element',
    verdict: 'client_redirect',
    html: page(
      '<meta http-equiv="Refresh" content="0; URL=\'/start\'">',
      '<a href="/start">Continue</a>',
    ),
  },
  {
    name: 'a list without its items, between a menu and a footer',
    verdict: 'script_shell',
    html: page(
      analytics,
      `${menu}<h1>Rods</h1><ul class="items"></ul>${footer}<script src="/list.js"></script>`,
    ),
  },
  {
    name: 'a list of skeletons',
    verdict: 'empty_app_root',
    html: page(
      '',
      `${menu}<main><h1>Rods</h1><ul>${'<li class="skeleton"></li>'.repeat(12)}</ul></main>${footer}<script src="/list.js"></script>`,
    ),
  },
  {
    name: 'a fragment that htmx loads',
    verdict: 'script_shell',
    html: page(
      '<script src="/htmx.min.js"></script>',
      `${menu}<section hx-get="/list" hx-trigger="load"></section>${footer}`,
    ),
  },
  {
    name: 'a frame that Turbo loads',
    verdict: 'script_shell',
    html: page(
      '<script type="module" src="/turbo.js"></script>',
      `${menu}<turbo-frame id="list" src="/list" loading="lazy"></turbo-frame>${footer}`,
    ),
  },
  {
    name: 'a component that loads late, with a text that says so',
    verdict: 'script_shell',
    html: page(
      '',
      `${menu}<div wire:init="load"><p>Loading the rods…</p></div>${footer}<script src="/livewire.js"></script>`,
    ),
  },
  {
    name: 'SvelteKit without server rendering',
    verdict: 'script_shell',
    html: page(
      '<link rel="modulepreload" href="/_app/start.js">',
      '<div style="display: contents"><script type="module">import("/_app/start.js")</script></div>',
    ),
  },
  {
    name: 'Ember',
    verdict: 'script_shell',
    html: page(
      '',
      '<script src="/assets/vendor.js"></script><script src="/assets/shop.js"></script>',
    ),
  },
  {
    name: 'Inertia, whose data is in an attribute',
    verdict: 'empty_app_root',
    html: page(
      '<script type="module" src="/build/assets/app-4f.js"></script>',
      '<div id="app" data-page="{&quot;component&quot;:&quot;Rods&quot;}"></div>',
    ),
  },
  {
    name: 'an application with its state as JSON in the page',
    verdict: 'empty_app_root',
    html: page(
      '',
      `<div id="app"></div><script>window.__STATE__={"text":"${'A rod for the sea. '.repeat(200)}"}</script><script src="/client.js"></script>`,
    ),
  },
  {
    name: 'a thread that a script loads, beside the rules of the forum',
    verdict: 'script_shell',
    html: page(
      '<script src="/forum.js"></script>',
      `${menu}<aside><h2>Rules</h2><p>Be kind. Search before you ask. Pictures must be your own.</p></aside><section id="thread"></section>`,
    ),
  },
  {
    name: 'a product whose description and price a script loads, with a menu and a footer of plain elements',
    verdict: 'script_shell',
    html: page(
      analytics,
      `<div class="main-menu"><ul><li><a href="/rods">Rods and everything for them</a></li><li><a href="/reels">Reels of all sizes</a></li></ul></div><h1>A rod for the sea</h1><div class="price"></div><div id="site-footer"><p>Fishing since 1974. All prices include taxes. We ship to most countries within a week.</p></div><script src="/product.js"></script>`,
    ),
  },
]
