import { describe, expect, it } from 'vitest'
import { produceFile } from '../media/produce-file.ts'
import { Account } from './account.ts'
import { type CatalogModel, DEFAULT_CATALOG } from './catalog.ts'
import type { Job } from './job.ts'
import { outputOf, fileOf as requestOf } from './produce-output.ts'

function modelOf(kind: CatalogModel['output_kind']): CatalogModel {
  const found = DEFAULT_CATALOG.find(({ output_kind }) => output_kind === kind)
  if (found === undefined) throw new Error(`The catalog has no ${kind} model.`)
  return found
}

function succeeded(kind: CatalogModel['output_kind'], fields: Partial<Job> = {}): Job {
  return {
    id: 'job_1',
    requestId: 'req_1',
    account: new Account(10),
    model: modelOf(kind),
    input: { prompt: 'a red fox', image_size: 'square' },
    seed: 5,
    createdAt: 0,
    processingAt: 0,
    plan: { endsAt: 0, afterReads: 0, status: 'succeeded' },
    webhook: undefined,
    reads: 0,
    endsAt: 0,
    end: { status: 'succeeded', at: 0 },
    ...fields,
  }
}

function fileOf(job: Job, name: string) {
  const request = requestOf(job, name)
  return request && produceFile(request)
}

/** Width and height as a PNG's header has them. */
function pngSize(bytes: Uint8Array): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return [view.getUint32(16), view.getUint32(20)]
}

describe('output', () => {
  it.each(['image', 'video', 'audio'] as const)('lists a file of kind %s that exists (section 2.5)', (kind) => {
    const job = succeeded(kind)
    const output = outputOf(job, 'https://files.test')
    expect(output).toMatchObject({ type: kind, items: [{ type: kind }] })
    const name = output.items[0]?.url.replace('https://files.test/files/job_1/', '') ?? ''
    const file = fileOf(job, name)
    expect(name).toBe(`0.${file?.extension}`)
    expect(file?.contentType.startsWith(`${kind}/`)).toBe(true)
  })

  it('has as many images as num_images says, each another (section 2.3)', () => {
    const job = succeeded('image', { input: { prompt: 'a', image_size: 'square', num_images: 3 } })
    expect(outputOf(job, '').items.map(({ url }) => url)).toEqual([
      '/files/job_1/0.png',
      '/files/job_1/1.png',
      '/files/job_1/2.png',
    ])
    const [first, second] = [fileOf(job, '0.png')?.bytes, fileOf(job, '1.png')?.bytes]
    expect(first).toBeDefined()
    expect(first).not.toEqual(second)
    expect(fileOf(job, '0.png')?.bytes).toEqual(first)
  })

  it.each([
    [{}, [1024, 1024]],
    [{ image_size: 'square' }, [512, 512]],
    [{ image_size: 'square_hd' }, [1024, 1024]],
    [{ image_size: 'huge' }, [1024, 1024]],
    [{ image_size: 'portrait_4_3' }, [768, 1024]],
    [{ image_size: 'landscape_16_9' }, [1024, 576]],
    [{ image_size: 'square', width: 96, height: 64 }, [96, 64]],
  ])('draws an image of %j with %j pixels (section 2.3)', (input, size) => {
    const file = fileOf(succeeded('image', { input: { prompt: 'a', ...input } }), '0.png')
    expect(file && pngSize(file.bytes)).toEqual(size)
  })

  it.each(['1.png', '-1.png', '0.mp4', '00.png', '0', '0.png.png', '', 'x.png', '1e0.png'])(
    'has no file %j',
    (name) => {
      expect(fileOf(succeeded('image'), name)).toBeUndefined()
    },
  )

  it.each<Job['end']>([
    undefined,
    { status: 'cancelled', at: 0 },
    { status: 'succeeded', at: 0, output: { type: 'image', items: [] } },
  ])('has no file of the server after the end %j', (end) => {
    expect(fileOf(succeeded('image', { end }), '0.png')).toBeUndefined()
  })

  it('has no more files than memory can hold, whatever a catalog allows', () => {
    expect(outputOf(succeeded('image', { input: { prompt: 'a', num_images: 1e12 } }), '').items).toHaveLength(100)
  })

  it('has a file of the server wherever a test wrote {file}', () => {
    const items = [
      { type: 'image', url: '{file}', seed: 7 },
      { type: 'text', url: 'https://elsewhere.test/a.txt' },
    ]
    const job = succeeded('image', { end: { status: 'succeeded', at: 0, output: { type: 'mixed', items } } })
    const made = outputOf(job, 'https://x.test')
    expect(made.type).toBe('mixed')
    expect(made.items).toEqual([{ type: 'image', url: 'https://x.test/files/job_1/0.png', seed: 7 }, items[1]])
    expect([fileOf(job, '0.png') === undefined, fileOf(job, '1.png')]).toEqual([false, undefined])
  })
})
