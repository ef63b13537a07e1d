import { runCompletedSchema } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

async function urlsOf(model: string, input: object) {
  const server = createReferenceServer({ clock: 'auto' })
  const { body } = await apiCaller(server).run(model, { input })
  return { server, urls: runCompletedSchema.parse(body).output.items.map(({ url }) => url) }
}

describe('GET /files/{job_id}/{name}', () => {
  it.each([
    ['aurora-image', { prompt: 'x' }, 'image/png'],
    ['vocalis/narrator-mini', { text: 'Hello.' }, 'audio/wav'],
    ['kinora/reel-swift', { prompt: 'x' }, 'video/mp4'],
  ])(
    'responds to HEAD of a file of %s with the headers alone, without producing the file',
    async (model, input, type) => {
      const { server, urls } = await urlsOf(model, input)
      const head = async () => {
        const { status, headers, body } = await server.fetch(urls[0] ?? '', { method: 'HEAD' })
        return { status, body, type: headers.get('content-type'), length: headers.get('content-length') }
      }
      expect(await head()).toEqual({ status: 200, body: null, type, length: null })
    },
  )

  it('responds with 404 NOT_FOUND where there is no file', async () => {
    const { server, urls } = await urlsOf('aurora-image', { prompt: 'x' })
    const bad = [
      '/files/job_none/0.png',
      urls[0]?.replace('0.png', '1.png') ?? '',
      urls[0]?.replace('.png', '.mp4') ?? '',
    ]
    for (const url of bad) {
      const response = await server.fetch(url)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
    }
  })
})
