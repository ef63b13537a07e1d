import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Source } from './find-ids.ts'
import { TITLE } from './read-types.ts'
import type { TypesIo } from './types-options.ts'

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/
const DECLARATION = /\.d\.[cm]?ts$/

/** Folders of generated files and of dependencies. Folders whose names start with a dot are left out too. */
const LEFT_OUT = new Set(['node_modules', 'dist', 'build', 'out', 'coverage'])

/** Larger files are made by tools. */
const MAX_BYTES = 1_000_000

/** The files of a folder, for `runTypes`. Paths are relative to it. */
export function createFileIo(folder: string): Pick<TypesIo, 'readSources' | 'readFile' | 'write'> {
  return {
    readSources: () => readSources(folder),
    readFile: async (path) => await readText(resolve(folder, path)),
    write: async (path, text) => {
      await mkdir(dirname(resolve(folder, path)), { recursive: true })
      await writeFile(resolve(folder, path), text)
    },
  }
}

async function* readSources(folder: string): AsyncGenerator<Source> {
  for await (const path of sourcePaths(folder)) {
    const { size } = await stat(path)
    const text = size > MAX_BYTES ? '' : await readFile(path, 'utf8')
    // A file of types has ids that the program may no longer use.
    if (!text.startsWith(TITLE)) yield { path: relative(folder, path).split(sep).join('/'), text }
  }
}

async function* sourcePaths(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !entry.name.startsWith('.') && !LEFT_OUT.has(entry.name)) yield* sourcePaths(path)
    if (entry.isFile() && SOURCE.test(entry.name) && !DECLARATION.test(entry.name)) yield path
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
