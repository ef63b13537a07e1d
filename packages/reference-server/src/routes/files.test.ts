import { runCompletedSchema } from '@modelrun/contract'
import { describe, expect, it, vi } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

const INPUT = { prompt: 'x' }

/** Runs the model with an input that any model takes, and returns the urls of its files. */
async function urlsOf(model: string, input: object, server = createReferenceServer({ clock: 'auto' })) {
  const { body } = await apiCaller(server).run(model, { input })
  return { server, urls: runCompletedSchema.parse(body).output.items.map(({ url }) => url) }
}

async function read(server: ReferenceServer, url = ''): Promise<Uint8Array> {
  return new Uint8Array(await (await server.fetch(url)).arrayBuffer())
}

/** A server with a model that takes every parameter. */
function lenientServer() {
  const [sample] = DEFAULT_CATALOG
  const input_schema = { type: 'object', properties: {}, additionalProperties: true }
  const catalog = sample === undefined ? [] : [{ ...sample, latency_ms: 0, input_schema }]
  return createReferenceServer({ clock: 'auto', catalog })
}

describe('GET /files/{job_id}/{name}', () => {
  it.each([
    ['aurora-image', INPUT, { name: '0.png', type: 'image/png' }],
    ['vocalis/narrator-mini', { text: 'Hello.' }, { name: '0.wav', type: 'audio/wav' }],
    ['kinora/reel-swift', INPUT, { name: '0.mp4', type: 'video/mp4' }],
  ])(
    'responds to HEAD of a file of %s with the headers alone, without producing it',
    async (model, input, expected) => {
      const { server, urls } = await urlsOf(model, input)
      const { status, headers, body } = await server.fetch(urls[0] ?? '', { method: 'HEAD' })
      const head = { status, body, type: headers.get('content-type'), length: headers.get('content-length') }
      const name = urls[0]?.replace(/.*\//, '')
      expect({ ...head, name }).toEqual({ status: 200, body: null, length: null, ...expected })
    },
  )

  it('has as many images as num_images says, each another and always the same (section 2.3)', async () => {
    const { server, urls } = await urlsOf('aurora-image', { ...INPUT, image_size: 'square', num_images: 3 })
    const files = await Promise.all([...urls, urls[0]].map((url) => read(server, url)))
    expect([urls.length, new Set(files.map(String)).size]).toEqual([3, 3])
    expect(files[3]).toEqual(files[0])
  })

  it.each([
    [{}, [1024, 1024]],
    [{ image_size: 'square' }, [512, 512]],
    [{ image_size: 'square_hd' }, [1024, 1024]],
    [{ image_size: 'huge' }, [1024, 1024]],
    [{ image_size: 'portrait_4_3' }, [768, 1024]],
    [{ image_size: 'landscape_16_9' }, [1024, 576]],
    [{ image_size: 'square', width: 96, height: 64 }, [96, 64]],
  ])('draws an image of %j with %j pixels (section 2.3)', async (input, size) => {
    const { server, urls } = await urlsOf('aurora-image', { ...INPUT, ...input }, lenientServer())
    const header = new DataView((await read(server, urls[0])).buffer)
    expect([header.getUint32(16), header.getUint32(20)]).toEqual(size)
  })

  it('makes no more files than memory can hold, whatever a catalog allows', async () => {
    expect((await urlsOf('aurora-image', { ...INPUT, num_images: 1e12 }, lenientServer())).urls).toHaveLength(100)
  })

  it('serves a file of the server wherever a script has {file}', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const items = [
      { type: 'image', url: '{file}', seed: 7 },
      { type: 'text', url: 'https://elsewhere.test/a.txt' },
      { type: 'image', url: '{file}data:image/webp;base64,AAEC' },
    ]
    server.script('aurora-image', [{ result: 'succeeded', output: { type: 'mixed', items } }])
    const { body } = await apiCaller(server).run('aurora-image')
    const { output } = runCompletedSchema.parse(body)
    const own = (name: string) => expect.stringMatching(new RegExp(`/files/job_\\w+/${name}$`))
    const urls = [own('0.png'), items[1]?.url, own('2.webp')]
    expect(output).toEqual({ type: 'mixed', items: items.map((item, index) => ({ ...item, url: urls[index] })) })
    // A test may have put the server in place of the network.
    vi.stubGlobal('fetch', server.fetch)
    const file = await server.fetch(output.items[2]?.url ?? '')
    vi.unstubAllGlobals()
    expect([file.headers.get('content-type'), ...new Uint8Array(await file.arrayBuffer())]).toEqual([
      'image/webp',
      0,
      1,
      2,
    ])
    expect((await server.fetch(output.items[0]?.url.replace('0.png', '1.png') ?? '')).status).toBe(404)
  })

  it.each(['x', 'data:image/png', 'http://127.0.0.1:1/', 'data:;base64,%', '{file}'])(
    'has no file {file}%s',
    (more) => {
      const { script } = createReferenceServer()
      const items = [{ type: 'image', url: `{file}${more}` }]
      const add = () => script('aurora-image', [{ result: 'succeeded', output: { type: 'image', items } }])
      expect(add).toThrow('/0/output is not valid (the url of a file is {file}, or {file} and a data URI)')
    },
  )

  it.each(['1.png', '-1.png', '0.mp4', '00.png', '0', '0.png.png', 'x.png', '1e0.png', '../job_none/0.png'])(
    'responds with 404 NOT_FOUND where there is no file: %s',
    async (name) => {
      const { server, urls } = await urlsOf('aurora-image', INPUT)
      const response = await server.fetch(urls[0]?.replace('0.png', name) ?? '')
      expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    },
  )

  it('has no file of a job that was cancelled', async () => {
    const { server, urls } = await urlsOf('aurora-image', INPUT)
    const { body } = await apiCaller(server).run('aurora-image', { sync: false })
    await apiCaller(server).delete(`/v1/jobs/${String(body.job_id)}`)
    expect((await server.fetch(urls[0]?.replace(/job_\w+/, String(body.job_id)) ?? '')).status).toBe(404)
  })
})
