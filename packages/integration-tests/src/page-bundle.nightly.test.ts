import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { folderForTest } from '../../kit/test/temp-folder.ts'

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
  const folder = folderForTest()
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
})
