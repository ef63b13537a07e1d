import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createProject, ROOT } from '../../test/types/temporary-project.ts'
import { writeTypes } from '../../test/types/types-harness.ts'
import { programOf, RIGHT_LINES, WRONG_LINES } from '../../test/types/wrong-programs.ts'

/** The errors in the user's own files, as `path(line,column): message`. */
async function compile(compiler: string, folder: string): Promise<string[]> {
  const tsc = join(ROOT, 'node_modules', compiler, 'bin/tsc')
  const checked = promisify(execFile)(process.execPath, [tsc, '--project', folder, '--pretty', 'false'], {
    cwd: folder,
  })
  const { stdout } = await checked.catch((error: { stdout: string }) => error)
  return stdout.split('\n').filter((line) => /^[\w.-]+\.ts\(/.test(line))
}

const main = programOf([...WRONG_LINES.map(({ code }) => code.replace('|', '')), ...RIGHT_LINES])

describe('a program with its types', () => {
  it.each([
    ['typescript-5.9', 'modelrun.models.d.ts'],
    ['typescript', 'modelrun.models.d.ts'],
    ['typescript-7', 'modelrun.models.d.ts'],
    ['typescript-7', 'models.ts'],
  ])(
    'has an error at each wrong place, and no other, by %s with %s',
    async (compiler, file) => {
      await using project = await createProject({ 'main.ts': main, [file]: await writeTypes() })
      const errors = await compile(compiler, project.folder)
      for (const [index, { code, message }] of WRONG_LINES.entries()) {
        const place = `main.ts(${index + 3},${code.indexOf('|') + 'void '.length + 1})`
        expect(errors.find((error) => error.startsWith(place)) ?? `${place}: none`).toMatch(message)
      }
      const wrong = new Set(errors.map((error) => error.match(/^[^,]+/)?.[0]))
      expect([...wrong]).toEqual(WRONG_LINES.map((_, index) => `main.ts(${index + 3}`))
    },
    180_000,
  )
})

describe('a program', () => {
  it('has no error without a file of types, whatever it runs', async () => {
    await using project = await createProject({ 'main.ts': main })
    expect(await compile('typescript-7', project.folder)).toEqual([])
  }, 60_000)

  it('may run models that the file does not have, when it was written with --open', async () => {
    const types = await writeTypes({ open: true })
    const text = programOf(["client.run('aurora-imgae', { prompt: 1 })", "client.run('aurora-image', { prompt: 1 })"])
    await using project = await createProject({ 'main.ts': text, 'modelrun.models.d.ts': types })
    expect(await compile('typescript-7', project.folder)).toEqual([expect.stringContaining('main.ts(4,')])
  }, 60_000)
})
