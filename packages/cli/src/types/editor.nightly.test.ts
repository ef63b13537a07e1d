import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts6 from 'typescript'
import ts59 from 'typescript-5.9'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../test/types/temporary-project.ts'
import { createTypesHarness } from '../../test/types/types-harness.ts'

type TypeScript = typeof ts6

/** Inside of the repository, so that imports resolve. The files are in memory alone. */
const FOLDER = join(ROOT, 'packages/cli/src/.editor')
const TYPES = join(FOLDER, 'modelrun.models.d.ts')
const MAIN = join(FOLDER, 'main.ts')
const START = "import { ModelRun } from 'modelrun'\nconst client = new ModelRun()\n"

async function writeTypes(): Promise<string> {
  const harness = createTypesHarness()
  await harness.run({ ids: ['aurora-image', 'kinora/reel-pro'] })
  return harness.text
}

/** What an editor asks of a program with the file of types. `|` in a line is where the cursor is. */
function createEditor(ts: TypeScript, types: string) {
  const files = new Map([[TYPES, types]])
  let version = 0
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ROOT)
  const read = (path: string) => files.get(path) ?? (ts.sys.fileExists(path) ? readFileSync(path, 'utf8') : undefined)
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [MAIN, TYPES],
    getScriptVersion: (path) => (path === MAIN ? String(version) : '1'),
    getScriptSnapshot: (path) => {
      const text = read(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => files.has(path) || ts.sys.fileExists(path),
    readFile: read,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })
  const type = (line: string): number => {
    version += 1
    files.set(MAIN, START + line.replace('|', ''))
    return START.length + line.indexOf('|')
  }
  return {
    complete: (line: string) =>
      service.getCompletionsAtPosition(MAIN, type(line), {})?.entries.map(({ name }) => name) ?? [],
    hover: (line: string) => service.getQuickInfoAtPosition(MAIN, type(line)),
  }
}

// The compiler of TypeScript 7 has no API for editors in JavaScript.
const compilers: [string, TypeScript][] = [
  ['5.9', ts59 as unknown as TypeScript],
  ['6', ts6],
]

describe.each(compilers)('an editor with TypeScript %s', (_, ts) => {
  const IDS = ['aurora-image', 'kinora/reel-pro']
  const NAMES = ['prompt', 'image_size', 'num_images']
  const SIZES = ['landscape_16_9', 'portrait_4_3', 'square', 'square_hd']

  it('completes ids, parameters and values, and shows what a parameter is', async () => {
    const editor = createEditor(ts, await writeTypes())
    const completed = (line: string) => editor.complete(line).toSorted()
    expect(completed("client.run('|')")).toEqual(IDS)
    expect(completed("client.run('|', { prompt: 'x' })")).toEqual(IDS)
    expect(completed("client.submit('|')")).toEqual(IDS)
    expect(completed("client.runMany('|')")).toEqual(IDS)
    expect(completed("client.models.run('|')")).toEqual(IDS)
    expect(editor.complete("client.run('aurora-image', { | })")).toEqual(NAMES)
    expect(editor.complete("client.submit('aurora-image', { prompt: 'x', | })")).toEqual(NAMES.slice(1))
    expect(editor.complete("client.runMany('aurora-image', [{ | }])")).toEqual(NAMES)
    expect(editor.complete("client.models.run('aurora-image', { input: { | } })")).toEqual(NAMES)
    expect(completed("client.run('aurora-image', { prompt: 'x', image_size: '|' })")).toEqual(SIZES)
    expect(editor.complete("client.run('aurora-image', { prompt: 'x', num_images: | })")).toEqual(
      expect.arrayContaining(['1', '4']),
    )

    const info = editor.hover("client.run('aurora-image', { prompt: 'x', num_im|ages: 1 })")
    expect(ts.displayPartsToString(info?.documentation)).toBe('How many images to draw.\n\nFrom 1 to 4.')
    expect(info?.tags).toEqual([{ name: 'default', text: [{ kind: 'text', text: '1' }] }])
  }, 120_000)

  it('shows what a model is and costs at its id in the file of types', async () => {
    const types = await writeTypes()
    const editor = createEditor(ts, types)
    const info = editor.hover(
      "import type { ModelInputs } from 'modelrun'\nexport type X = ModelInputs['aurora|-image']",
    )
    expect(ts.displayPartsToString(info?.documentation)).toMatch(/^Aurora Image\n.*4 credits per run\.\n/s)
  }, 120_000)
})
