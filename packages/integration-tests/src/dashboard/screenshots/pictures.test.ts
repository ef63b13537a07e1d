import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { JOB_HEIGHT, MAX_BYTES, SIZES } from './sizes.ts'

const root = new URL('../../../../../', import.meta.url)
const folder = new URL('docs/images/', root)
const files = await readdir(folder)
const pictures = files.filter((name) => name.endsWith('.png'))

/** A PNG file has its size in its first chunk. */
async function sizeOf(name: string): Promise<{ width: number; height: number; bytes: number }> {
  const bytes = await readFile(new URL(name, folder))
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), bytes: bytes.byteLength }
}

describe('the pictures of the dashboard', () => {
  it.each(pictures)('%s has the size that `npm run screenshots` gives it, and is small', async (name) => {
    const [, screen, size = ''] = /^dashboard-(\w+)-(\w+)-(?:light|dark)\.png$/.exec(name) ?? []
    const viewport = SIZES.find((one) => one.name === size)?.viewport
    const { bytes, ...drawn } = await sizeOf(name)
    expect(drawn).toEqual(screen === 'job' && size === 'wide' ? { ...viewport, height: JOB_HEIGHT } : viewport)
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  })

  it('have a film of a lost response that is small', async () => {
    const film = await readFile(new URL('lost-response.svg', folder), 'utf8')
    expect(film.length).toBeLessThan(400_000)
    expect(film).toContain('repeatCount="indefinite"')
    expect(film).toContain('no response')
  })

  it.each(['README.md', 'packages/dashboard/README.md', 'packages/reference-server/README.md'])(
    '%s shows pictures that exist',
    async (file) => {
      const text = await readFile(fileURLToPath(new URL(file, root)), 'utf8')
      const shown = Array.from(text.matchAll(/docs\/images\/([\w-]+\.\w+)/g), ([, name]) => name)
      expect(shown.length).toBeGreaterThan(0)
      expect(files).toEqual(expect.arrayContaining(shown))
    },
  )
})
