import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createProject, ROOT } from '../../test/types/temporary-project.ts'
import { writeTypes } from '../../test/types/types-harness.ts'

/** The errors in the user's own files, as `path(line,column): message`. */
async function compile(compiler: string, files: Record<string, string>): Promise<string[]> {
  await using project = await createProject(files)
  const { folder } = project
  const tsc = join(ROOT, 'node_modules', compiler, 'bin/tsc')
  const args = [tsc, '--project', folder, '--pretty', 'false']
  const checked = promisify(execFile)(process.execPath, args, { cwd: folder })
  const { stdout } = await checked.catch((error: { stdout: string }) => error)
  return stdout.split('\n').filter((line) => /^[\w.-]+\.ts\(/.test(line))
}

/** Calls from the line 3 on, with the place and the message of their error. All of them: `model-inputs.test-d.ts` of the client. */
const CALLS: readonly (readonly [code: string, error?: RegExp])[] = [
  ["run('aurora-imgae', { prompt: 'x' })", /^main\.ts\(3,17\).*"aurora-imgae".* is not assignable to .*"aurora-image"/],
  ["submit('aurora-image', { prompt: 'x', num_image: 2 })", /^main\.ts\(4,.*Did you mean to write 'num_images'\?/],
  [
    "runMany('aurora-image', [{ prompt: 'x' }, { prompt: 1 }])",
    /^main\.ts\(5,.*'number' is not assignable to type 'string'/,
  ],
  ["models.run('aurora-image', { input: { prompt: 'x', num_images: 5 } })", /^main\.ts\(6,.*'5' is not assignable/],
  ["run('aurora-image', { prompt: 'x', num_images: 4, image_size: 'square' })"],
  ["runMany('aurora-image', new Set([{ prompt: 'x' }, { prompt: 'y', num_images: 2 as const }]))"],
  ["run('aurora-imgae' as string, { anything: 1 })"],
]
const lines = CALLS.map(([code]) => `void client.${code}`)
const main = `import { ModelRun } from 'modelrun'\nconst client = new ModelRun()\n${lines.join('\n')}\n`

describe('a program', () => {
  it.each([
    ['typescript-5.9', 'modelrun.models.d.ts'],
    ['typescript', 'modelrun.models.d.ts'],
    ['typescript-7', 'modelrun.models.d.ts'],
    ['typescript-7', 'models.ts'],
  ])('has an error at each wrong call, and no other, by %s with %s', async (compiler, file) => {
    const errors = await compile(compiler, { 'main.ts': main, [file]: await writeTypes() })
    expect(errors).toEqual(CALLS.flatMap(([, error]) => (error === undefined ? [] : [expect.stringMatching(error)])))
  })

  it('has no error without a file of types, whatever it runs', async () => {
    expect(await compile('typescript-7', { 'main.ts': main })).toEqual([])
  })

  it('may run models that the file does not have, when it was written with --open', async () => {
    const types = await writeTypes({ open: true })
    const errors = await compile('typescript-7', { 'main.ts': main, 'modelrun.models.d.ts': types })
    expect(errors.map((error) => error.slice(0, 9))).toEqual(['main.ts(4', 'main.ts(5', 'main.ts(6'])
  })
})
