/** The baseline: undici in a loop. It decodes, converts and posts the same, without API or store. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import Turndown from 'turndown'
import { Pool } from 'undici'

const decode = promisify(gunzip)
const turndown = new Turndown()

interface Question {
  kind: 'callbacks' | 'realtime' | 'extractions'
  originUrl: string
  receiverUrls: string[]
  together: number
  warmUpMs: number
  ms: number
  pagePath?: string
}

process.on('message', async (question: Question) => {
  const origin = new Pool(question.originUrl, { connections: question.together })
  const receivers = question.receiverUrls.map(
    (url) => new Pool(url, { connections: question.together / question.receiverUrls.length }),
  )
  let done = 0
  let isOver = false
  const loop = async (_: unknown, index: number) => {
    const receiver = receivers[index % receivers.length] as Pool
    while (!isOver) {
      const path = `${question.pagePath ?? '/page'}?bare=${done}`
      const page = await origin.request({ path, method: 'GET' })
      const html = (await decode(await page.body.arrayBuffer())).toString()
      if (question.kind === 'callbacks') {
        const answer = await receiver.request({
          path: '/in',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            status: 'completed',
            result: { statusCode: page.statusCode, html },
          }),
        })
        await answer.body.dump()
      }
      if (question.kind === 'extractions') JSON.stringify(turndown.turndown(html))
      done += 1
    }
  }
  const loops = Array.from({ length: question.together }, loop)
  await new Promise((resolve) => setTimeout(resolve, question.warmUpMs))
  const [before, startedAtMs] = [done, performance.now()]
  await new Promise((resolve) => setTimeout(resolve, question.ms))
  const perSecond = ((done - before) * 1_000) / (performance.now() - startedAtMs)
  isOver = true
  await Promise.all(loops)
  await Promise.all([origin, ...receivers].map((pool) => pool.close()))
  process.send?.({ perSecond, total: done })
})
