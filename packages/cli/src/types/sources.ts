import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { TITLE } from './typed-model.ts'

/** A file of the program. */
export interface Source {
  /** As it is shown, relative to the folder of the program. */
  path: string
  text: string
}

/** An id in a place of the program, `path:line`. */
interface IdPlace {
  id: string
  place: string
}

/** What the sources say of models. */
export interface FoundIds {
  /** The ids of the catalog that the program has, sorted, each with its first places. */
  used: Map<string, string[]>
  /** The first arguments of calls like `run('…')` that are not ids of the catalog. */
  unknown: IdPlace[]
}

/**
 * What stands between two equal quotes of a line. The quotes themselves are not taken: each may end one text and start
 * another, so that an apostrophe before them does not hide an id.
 */
const QUOTED = /(?<=(['"`]))[^'"`\n\\]{1,200}(?=\1)/g

const CALL = /\b(?:run|submit|runMany)\s*\(\s*$/

/**
 * Finds the models of a program by its string literals: all that are ids of the catalog, in calls or not, since an id
 * may reach its call through a constant or a table. A literal in a comment counts too. An id that the program puts
 * together from parts is not found.
 */
export async function findIds(
  sources: Iterable<Source> | AsyncIterable<Source>,
  catalog: ReadonlySet<string>,
): Promise<FoundIds> {
  const used = new Map<string, string[]>()
  const unknown: IdPlace[] = []
  for await (const source of sources) {
    for (const { id, place, isCall } of literalsOf(source)) {
      if (catalog.has(id)) used.set(id, [...(used.get(id) ?? []), place])
      else if (isCall) unknown.push({ id, place })
    }
  }
  return { used: new Map([...used].toSorted(([a], [b]) => (a < b ? -1 : 1))), unknown }
}

function* literalsOf({ path, text }: Source): Generator<IdPlace & { isCall: boolean }> {
  let line = 1
  let end = 0
  for (const { 0: id, index } of text.matchAll(QUOTED)) {
    line += text.slice(end, index).split('\n').length - 1
    end = index
    yield { id, place: `${path}:${line}`, isCall: CALL.test(text.slice(Math.max(0, index - 40), index - 1)) }
  }
}

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/
const DECLARATION = /\.d\.[cm]?ts$/

/** Folders of generated files and of dependencies. Folders whose names start with a dot are left out too. */
const LEFT_OUT = new Set(['node_modules', 'dist', 'build', 'out', 'coverage'])

/** Larger files are made by tools. */
const MAX_BYTES = 1_000_000

/** The files of a folder, for `runTypes`. Paths are relative to it. */
export function createFileIo(folder: string) {
  return {
    readSources: () => readSources(folder),
    readFile: async (path: string) => await readText(resolve(folder, path)),
    write: async (path: string, text: string) => {
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
