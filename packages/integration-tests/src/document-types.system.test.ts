import { globSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { blocksOf, type CodeBlock, ROOT } from './code-blocks.ts'

// Inside the package, so that imports resolve. The files are in memory alone.
const FOLDER = join(ROOT, 'packages/integration-tests/src/.document-types')
const documents = globSync(['README.md', '*/README.md', 'docs/guides/*.md', 'packages/*/README.md'], { cwd: ROOT })
const blocks = (await Promise.all(documents.sort().map(blocksOf))).flat()

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(
  { ...config, files: [], compilerOptions: { ...config.compilerOptions, noEmit: true, moduleDetection: 'force' } },
  ts.sys,
  ROOT,
)

/** What the compiler says of each block: all are files of one program, so that they share its work. */
function problemsOf(group: readonly CodeBlock[]): Map<string, string[]> {
  const files = new Map(group.map(({ code }, index) => [join(FOLDER, `block-${index}.ts`), code]))
  const host = ts.createCompilerHost(options)
  const memory: ts.CompilerHost = {
    ...host,
    fileExists: (path) => files.has(path) || host.fileExists(path),
    readFile: (path) => files.get(path) ?? host.readFile(path),
    getSourceFile: (path, version) => {
      const code = files.get(path)
      return code === undefined ? host.getSourceFile(path, version) : ts.createSourceFile(path, code, version)
    },
  }
  const program = ts.createProgram([...files.keys()], options, memory)
  const problems = [...files.keys()].map((path) => {
    const file = program.getSourceFile(path)
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(describeProblem)
  })
  return new Map(group.map(({ title }, index) => [title, problems[index] ?? []]))
}

function describeProblem({ messageText, file, start }: ts.Diagnostic): string {
  const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : '?'
  return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}

describe('the TypeScript of the documents', () => {
  // What one of these declares would hold for all blocks of its program.
  const isAlone = ({ code }: CodeBlock) => code.includes('declare module')
  const groups = [blocks.filter((block) => !isAlone(block)), ...blocks.filter(isAlone).map((block) => [block])]
  const problems = new Map(groups.flatMap((group) => [...problemsOf(group)]))

  it.each(blocks)('has no error: $title', ({ title }) => {
    expect(problems.get(title)).toEqual([])
  })
})
