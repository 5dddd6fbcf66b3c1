/** All pages share the GPU process, which draws their screenshots and runs their WebGL. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { RestartReason } from '../../src/engines/browser/launch/warm-browser.ts'
import { listBrowserProcesses } from '../support/browser-processes.ts'
import { startBrowserScene } from '../support/browser-scene.ts'
import { until } from '../support/until.ts'
import { endlessShader } from './hostile/busy-pages.ts'
import { unfinished } from './hostile/hostile-page.ts'

const scripted = { js_render: true }

test('a page with an endless shader keeps no other page from WebGL and its screenshot', async (t) => {
  const { html, visit, isDrawing, openShader, reasons } = await startDrawingScene(t)
  assert(await isDrawing())
  const shader = await openShader()

  const { page } = await visit('/drawing', { ...scripted, screenshot: { use: true } })

  assert(page.screenshot)
  assert.match(await html('/drawing', scripted), /drawn/)
  assert.deepEqual(reasons, [])
  await shader.close()
})

test('a browser whose WebGL was lost to endless shaders is replaced', async (t) => {
  const { isDrawing, openShader, reasons } = await startDrawingScene(t)
  assert(await isDrawing())

  const shaders = [await openShader(), await openShader(), await openShader()]

  assert.deepEqual(reasons, ['no_webgl'])
  assert(await isDrawing())
  for (const shader of shaders) await shader.close()
})

async function startDrawingScene(t: TestContext) {
  const reasons: RestartReason[] = []
  const scene = await startBrowserScene(t, {
    parts: {
      limits: { gpuCommandMsMax: 500 },
      onRestart: (reason) => void reasons.push(reason),
    },
  })
  const { site, html, visit } = scene
  site.page('/never', () => undefined)
  site.page('/shader', unfinished(endlessShader))
  site.page(
    '/drawing',
    `<p id=p>before</p><script>
      const gl = document.createElement('canvas').getContext('webgl')
      const pixel = new Uint8Array(4)
      gl.clearColor(0, 1, 0, 1)
      gl.clear(gl.COLOR_BUFFER_BIT)
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel)
      if (pixel[1] === 255) p.textContent = 'drawn'
    </script>`,
  )
  return {
    ...scene,
    reasons,
    isDrawing: async () => (await html('/drawing', scripted)).includes('drawn'),
    /** Resolves once it has cost the browser its GPU process. */
    async openShader() {
      // It starts again by itself after it was killed.
      await until(() => gpuProcesses().length === 1)
      const [before = 0] = gpuProcesses()
      const stop = new AbortController()
      const limits = { timeoutMs: 60_000, signal: stop.signal }
      const ended = visit('/shader', scripted, limits).catch(() => undefined)
      await until(() => !gpuProcesses().includes(before))
      return {
        async close() {
          stop.abort(new Error('seen enough'))
          await ended
        },
      }
    },
  }
}

const gpuProcesses = (): number[] =>
  listBrowserProcesses().flatMap(({ pid, type }) => (type === 'gpu-process' ? [pid] : []))
