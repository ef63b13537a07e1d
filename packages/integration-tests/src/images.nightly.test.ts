import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { toDataUri } from 'modelrun'
import { describe, expect, test } from 'vitest'
import { TRANSPORTS } from './transports.ts'

/** A PNG with so many bytes behind its image that it is of this size. */
const withSize = (png: Uint8Array, byteLength: number) => {
  const bytes = new Uint8Array(byteLength)
  bytes.set(png)
  return bytes
}

describe.each(TRANSPORTS)('an image as input, by way of $name', ({ open }) => {
  test('goes in as a data URI up to the largest size that toDataUri takes (section 2.3)', async () => {
    const { client, close } = await open()
    const { output } = await client.run('aurora-image', { prompt: 'a red fox', image_size: 'square' })
    const [item] = output.items
    const png = await (await client.files.download(item ?? '')).bytes()
    for (const bytes of [png, withSize(png, 700_000), withSize(png, 768_000)]) {
      const image_url = await toDataUri(bytes)
      expect(image_url).toMatch(/^data:image\/png;base64,iVBORw0KGgo/)
      const input = { image_url, prompt: 'as a woodcut '.repeat(1_500) }
      const result = await client.run('inkfield/restyle', input, { validateInput: true })
      expect(result.output.items).toMatchObject([{ type: 'image' }])
    }
    await close()
  })

  test('goes from model to model by its URL (section 2.5)', async () => {
    const { client, close } = await open()
    const drawn = await client.run('aurora-image', { prompt: 'a red fox' })
    const larger = await client.run('pixelwright/upscale', { image_url: drawn.output.items[0]?.url })
    const moving = { prompt: 'it wakes up', image_url: larger.output.items[0]?.url }
    const video = await client.run('kinora/reel-pro', moving)
    expect(video.output.items).toMatchObject([{ type: 'video' }])
    await close()
  })
})

/** Bundles names of `modelrun` for a page, as a bundler that splits does, and says whose code is in the first chunk. */
async function bundle(names: string, folder: string): Promise<string> {
  const { metafile } = await build({
    stdin: { contents: `export { ${names} } from 'modelrun'`, resolveDir: import.meta.dirname },
    outdir: folder,
    entryNames: 'page',
    bundle: true,
    splitting: true,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    conditions: ['@modelrun/source'],
  })
  const [, page] = Object.entries(metafile.outputs).find(([path]) => path.endsWith('page.js')) ?? []
  const used = Object.entries(page?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return used.map(([path]) => path).join('\n')
}

test('toDataUri runs in a page: it needs no Node, and what knows the types of files is loaded on first use', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-bundle-'))
  expect(await bundle('ModelRun', folder)).not.toMatch(/to-data-uri|file-type/)
  const used = await bundle('toDataUri', folder)
  expect(used).toMatch(/to-data-uri/)
  expect(used).not.toMatch(/file-type/)
  const program = `
    globalThis.process = globalThis.Buffer = undefined
    const { toDataUri } = await import(${JSON.stringify(join(folder, 'page.js'))})
    const gif = new Blob(['GIF89a', new Uint8Array(20)], { type: 'image/png' })
    console.log(await toDataUri(gif), await toDataUri('photo.png').catch(({ message }) => message))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toMatch(/^data:image\/gif;base64,R0lGODlh\S+ This runtime has no file system/)
  await rm(folder, { recursive: true })
})
