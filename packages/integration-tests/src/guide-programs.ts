import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { ROOT } from './code-blocks.ts'

/** The text of guides, one after the other. */
export async function readGuides(...names: string[]): Promise<string> {
  const texts = await Promise.all(names.map((name) => readFile(join(ROOT, 'docs/guides', name), 'utf8')))
  return texts.join('\n')
}

/** The blocks of a language under a heading of a text. */
export function blocksUnder(text: string, heading: string, language = 'js'): string[] {
  const section = text.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)
}

/** A folder for the programs of the tests around. Inside the package, so that their imports resolve. */
export function programFolder() {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(import.meta.dirname, '.documents-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  return {
    get path() {
      return folder
    },
    /** Writes a program. Returns the arguments with which Node runs it on the sources. */
    write: async (name: string, code = '') => {
      const file = join(folder, name)
      await writeFile(file, code)
      return ['--conditions=@modelrun/source', file]
    },
  }
}
