/** Whether the preview of a stranger's page makes a browser connect to anybody, without anybody's click. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { presentPreview } from '../../src/formats/present-preview.ts'
import { previewHeaders } from '../../src/http/responses/security-headers.ts'
import { browserFlavors } from '../support/browser-scene.ts'
import { launchTestBrowser } from '../support/test-browser.ts'
import { until } from '../support/until.ts'
import { startTrapOrigin } from './trap-origin.ts'

const hints = (trap: string): string[] => [
  `<link rel=preconnect href="${trap}">`,
  `<link rel="none" rel=preconnect href="${trap}">`,
  `<link rel=preconnect rel="none" href="${trap}">`,
  `<svg><link rel=preconnect href="${trap}"></svg>`,
  `<svg><style><link rel=preconnect href="${trap}"></style></svg>`,
  `<math><mtext><link rel=preconnect href="${trap}"></mtext></math>`,
  `<noscript><link rel=preconnect href="${trap}"></noscript>`,
  `<template shadowrootmode=open><link rel=preconnect href="${trap}"></template>`,
  `<!--><link rel=preconnect href="${trap}">-->`,
  `<title></title x><link rel=preconnect href="${trap}">`,
  `<p title="<link rel=preconnect href='${trap}'>">`,
  `<link rel=dns-prefetch href="${trap}"><link rel=prefetch href="${trap}/a">`,
  `<link rel=preload as=image href="${trap}/a"><link rel=modulepreload href="${trap}/a">`,
  `<link rel=prerender href="${trap}/a"><link rel=icon href="${trap}/a">`,
  `<meta http-equiv=x-dns-prefetch-control content=on><a href="${trap}/a">a</a>`,
  `<meta http-equiv=refresh content="0;url=${trap}/a">`,
  `<meta http-equiv=link content="<${trap}>; rel=preconnect">`,
  `<script type=speculationrules>{"prerender":[{"urls":["${trap}/a"],"eagerness":"immediate"}]}</script>`,
  `<base href="${trap}/"><img src=a attributionsrc="${trap}/a"><iframe src=a></iframe>`,
  `<object data="${trap}/a"></object><embed src="${trap}/a"><video src="${trap}/a" autoplay></video>`,
]

for (const flavor of browserFlavors) {
  test(`${flavor}: no preview connects to anybody`, async (t) => {
    const trap = await startTrapOrigin(t)
    const control = await startTrapOrigin(t)
    const previews = hints(trap.origin).map((html) =>
      presentPreview(Buffer.from(JSON.stringify({ html })), 'html'),
    )
    // Without the rule the policy alone would not stop it, in a browser that heeds the hint.
    const hint = Buffer.from(
      `<img src="${control.origin}"><link rel=preconnect href="${control.origin}">`,
    )
    const url = await servePages(t, [...previews, hint])
    const browser = await launchTestBrowser([], flavor)
    t.after(() => browser.close())
    const page = await browser.newPage()

    for (const index of previews.keys()) await page.goto(`${url}/${index}`)
    await page.goto(`${url}/framed`)
    await page.goto(`${url}/${previews.length}`)

    if (flavor === 'chrome') await until(() => control.connections() > 0)
    assert.equal(trap.connections(), 0, trap.asked.join())
  })
}

/** Each page by its number, under the headers of a preview; `/framed` shows all but the last as the dashboard does. */
async function servePages(t: TestContext, pages: readonly Buffer[]): Promise<string> {
  const frames = pages
    .slice(0, -1)
    .map((_, index) => `<iframe sandbox="" src="/${index}"></iframe>`)
  const server = createServer(({ url = '' }, response) => {
    const page = pages[Number(url.slice(1))]
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (page) response.setHeaders(new Map(Object.entries(previewHeaders)))
    response.end(page ?? frames.join(''))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
