import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { blocksOf, ROOT } from './code-blocks.ts'
import { programFolder } from './guide-programs.ts'

// The examples for networks need one: `networks/guide.system.test.ts` runs them.
const documents = globSync(['README.md', 'docs/guides/*.md', 'packages/*/README.md'], {
  cwd: ROOT,
  exclude: ['docs/guides/networks.md'],
})

const blocks = (await Promise.all(documents.map(blocksOf))).flat()

describe('the documents', () => {
  const programs = programFolder()

  it('show a quickstart of at most ten lines', () => {
    const quickstart = blocks.find(({ title }) => title.startsWith('README.md: Quickstart'))
    expect(quickstart?.code.trim().split('\n').length).toBeLessThanOrEqual(10)
  })

  const readmes = documents.filter((document) => document.endsWith('README.md'))
  it.each(readmes)('install in %s what its examples import', async (document) => {
    const text = await readFile(join(ROOT, document), 'utf8')
    const installed = text.match(/(?<=npm install )[^`\n#]+/g)?.flatMap((words) => words.split(' '))
    const imported = (await blocksOf(document)).flatMap(({ code }) => packagesOf(code))
    expect(installed).toEqual(expect.arrayContaining(imported))
  })

  it.each(blocks)('show an example that runs: $title', async ({ title, code }) => {
    const args = await programs.write(`${title.replace(/\W+/g, '-')}.ts`, code)
    // Of clients that send nothing.
    const settings = { MODELRUN_API_KEY: 'sk_test_documents', MODELRUN_BASE_URL: 'http://127.0.0.1:9' }
    const env = { ...process.env, ...settings }
    const run = promisify(execFile)(process.execPath, args, { cwd: programs.path, env })
    const { stdout, stderr } = await run
    expect(stderr).toBe('')
    // What a comment says that is printed, when it says it in figures.
    for (const [, figures = ''] of code.matchAll(/console\.log\(.*\) \/\/ ([\d ]*\d)/g))
      expect(stdout).toContain(figures)
  })
})

/** Names of the packages that a program imports. */
function packagesOf(code: string): string[] {
  const names = ts.preProcessFile(code).importedFiles.map(({ fileName }) => fileName)
  return names.filter((name) => !isBuiltin(name)).map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
}
