import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const types = fileURLToPath(new URL('./auto-closed.ts', import.meta.url))

// The time limit is for a busy machine: the compiler reads the libraries.
describe('the types of a server', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'modelrun-types-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** What the compiler says of a program of a user without the types of Node. */
  async function problemsWith(lib: readonly string[], body: string): Promise<string[]> {
    const program = join(folder, 'program.ts')
    const server = `import type { AutoClosed } from ${JSON.stringify(types)}\nexport interface Server extends AutoClosed { url: string }\n`
    await writeFile(program, `${server}declare const make: () => Server\n${body}\n`)
    const options: ts.CompilerOptions = {
      lib: lib.map((name) => `lib.${name}.d.ts`),
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      allowImportingTsExtensions: true,
    }
    return ts
      .getPreEmitDiagnostics(ts.createProgram([program], options))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  }

  it.each([
    [['es2023', 'dom'], 'console.log(make().url)'],
    [['es2023', 'dom', 'esnext.disposable'], 'await using server = make()\nconsole.log(server.url)'],
  ])('compile with the libraries %j: %s', async (lib, program) => {
    expect(await problemsWith(lib, program)).toEqual([])
  })
})
