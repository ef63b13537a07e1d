import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../test/types/temporary-project.ts'
import { writeTypes } from '../../test/types/types-harness.ts'

/** Inside of the repository, so that imports resolve. The files are in memory alone. */
const FOLDER = join(ROOT, 'packages/cli/src/.editor')
const [TYPES, MAIN] = [join(FOLDER, 'modelrun.models.d.ts'), join(FOLDER, 'main.ts')]
const START = "import { ModelRun, type ModelInputs } from 'modelrun'\nconst client = new ModelRun()\n"

const files = new Map<string, string>()
let version = 0

// The compiler of TypeScript 7 has no API for editors in JavaScript.
const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ROOT)
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [MAIN, TYPES],
  getScriptVersion: (path) => (path === MAIN ? String(version) : '1'),
  getScriptSnapshot: (path) => {
    const text = files.get(path) ?? (ts.sys.fileExists(path) ? readFileSync(path, 'utf8') : undefined)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => ROOT,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (path) => files.has(path) || ts.sys.fileExists(path),
  readFile: (path) => files.get(path) ?? ts.sys.readFile(path),
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
})

/** Types a line; `|` in it is where the cursor is. */
function type(line: string): number {
  version += 1
  files.set(MAIN, START + line.replace('|', ''))
  return START.length + line.indexOf('|')
}

beforeAll(async () => {
  files.set(TYPES, await writeTypes())
})

const IDS = ['aurora-image', 'kinora/reel-pro']
const NAMES = ['image_size', 'num_images', 'prompt']

describe('an editor', () => {
  it.each([
    ["run('|')", IDS],
    ["run('|', { prompt: 'x' })", IDS],
    ["submit('|')", IDS],
    ["runMany('|')", IDS],
    ["models.run('|')", IDS],
    ["run('aurora-image', { | })", NAMES],
    ["submit('aurora-image', { prompt: 'x', | })", NAMES.slice(0, 2)],
    ["runMany('aurora-image', [{ | }])", NAMES],
    ["models.run('aurora-image', { input: { | } })", NAMES],
    [
      "run('aurora-image', { prompt: 'x', image_size: '|' })",
      ['landscape_16_9', 'portrait_4_3', 'square', 'square_hd'],
    ],
    ["run('aurora-image', { prompt: 'x', num_images: | })", expect.arrayContaining(['1', '4'])],
  ])('completes client.%s', (line, names) => {
    const completions = service.getCompletionsAtPosition(MAIN, type(`client.${line}`), {})
    expect(completions?.entries.map(({ name }) => name).toSorted()).toEqual(names)
  })

  it.each([
    ["client.run('aurora-image', { prompt: 'x', num_im|ages: 1 })", /^How many images to draw\.\n\n1 to 4\.$/, ['1']],
    ["export type X = ModelInputs['aurora|-image']", /^Aurora Image\n.*4 credits per run\.$/s, undefined],
  ])('shows what a parameter and a model are: %s', (line, text, defaults) => {
    const info = service.getQuickInfoAtPosition(MAIN, type(line))
    expect(ts.displayPartsToString(info?.documentation)).toMatch(text)
    expect(info?.tags?.map((tag) => ts.displayPartsToString(tag.text))).toEqual(defaults)
  })
})
