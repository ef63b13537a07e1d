import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFileIo, findIds } from './sources.ts'
import { TITLE } from './typed-model.ts'

const CATALOG = new Set(['aurora-image', 'lumen/aurora-video', 'run'])

const idsIn = async (text: string) => [...(await findIds([{ path: 'a.ts', text }], CATALOG)).used]

describe('the ids of a program', () => {
  it.each([
    ['run', "client.run('aurora-image', { prompt })"],
    ['submit', 'await client.submit("aurora-image", {})'],
    ['runMany on the next line', "client.runMany(\n  'aurora-image',\n  rows)"],
    ['models.run', 'client.models.run(`aurora-image`, { input })'],
    ['a constant', "export const MODEL = 'aurora-image' as const"],
    ['a table', "const models = { small: 'aurora-image' }"],
    ['a line with apostrophes before it', "it('does', () => run('aurora-image', { prompt: 'it\\'s' })) // don't"],
    ['a call after a regular expression with a quote', "text.replace(/'/g, '') && run('aurora-image', {})"],
    ['an attribute', '<Form model="aurora-image" />'],
  ])('are found in %s', async (_, text) => {
    expect((await idsIn(text)).map(([id]) => id)).toEqual(['aurora-image'])
  })

  it('are not parts of longer texts, nor names without quotes', async () => {
    expect(await idsIn("run('aurora-image-2'); const x = 'an aurora-image'; run(x); aurora - image")).toEqual([])
  })

  it('come with each place', async () => {
    const text = "'aurora-image'\n\n'lumen/aurora-video' 'aurora-image'\r\n'aurora-image'"
    expect(await idsIn(text)).toEqual([
      ['aurora-image', ['a.ts:1', 'a.ts:3', 'a.ts:4']],
      ['lumen/aurora-video', ['a.ts:3']],
    ])
  })

  it('are found in a megabyte at once', async () => {
    const text = `${"const a = 'x'; ".repeat(70_000)}\nrun('aurora-image')`
    const start = performance.now()
    expect(await idsIn(text)).toEqual([['aurora-image', ['a.ts:2']]])
    expect(performance.now() - start).toBeLessThan(3_000)
  })
})

describe('the sources of a folder', () => {
  let folder: string
  const files = {
    'src/a.ts': '',
    'src/deep/b.mjs': '',
    'c.tsx': '',
    'd.svelte': '',
    'types.d.ts': '',
    'README.md': '',
    'models.ts': `${TITLE}\n`,
    'node_modules/x/index.js': '',
    'dist/index.js': '',
    '.next/a.js': '',
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'modelrun-sources-'))
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
  })

  afterAll(async () => await rm(folder, { recursive: true }))

  it('are its code, without what is made from it, installed, or written by modelrun types', async () => {
    const paths: string[] = []
    for await (const { path } of createFileIo(folder).readSources()) paths.push(path)
    expect(paths.toSorted()).toEqual(['c.tsx', 'd.svelte', 'src/a.ts', 'src/deep/b.mjs'])
  })

  it('are written and read by paths below it', async () => {
    const io = createFileIo(folder)
    await io.write('new/folder/a.txt', 'x')
    expect(await io.readFile('new/folder/a.txt')).toBe('x')
    expect(await io.readFile('missing')).toBeUndefined()
  })
})
