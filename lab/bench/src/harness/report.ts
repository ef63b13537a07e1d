import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { lostRows } from './lost-rows.ts'

/** The packages whose versions a result names by default. */
const PACKAGES = ['@anthropic-ai/sdk', '@fal-ai/client', 'ky', 'openai', 'replicate', 'zod']

/** A Markdown table. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

interface ReportOptions {
  /** The packages whose versions the result names. Default: the clients. */
  packages?: readonly string[] | undefined
  /** The columns that name a row of the first table. Figures of documents need each row: a result that lacks one is only printed. */
  rowNames?: readonly string[] | undefined
}

/** Prints a result and keeps it in `results/<name>.md`. */
export async function report(name: string, paragraphs: readonly string[], options: ReportOptions = {}): Promise<void> {
  const { packages = PACKAGES, rowNames = [] } = options
  const text = `${[`# ${name}`, ...paragraphs, await describeRun(packages)].join('\n\n')}\n`
  console.log(text)
  const folder = new URL('../../results/', import.meta.url)
  await mkdir(folder, { recursive: true })
  const file = new URL(`${name}.md`, folder)
  const lost = rowNames.length === 0 ? [] : lostRows(await readFile(file, 'utf8').catch(() => ''), text, rowNames)
  if (lost.length === 0) return await writeFile(file, text)
  console.error(`results/${name}.md stays as it is, because this result has no row of: ${lost.join('; ')}.`)
}

async function describeRun(packages: readonly string[]): Promise<string> {
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await readVersion(name)}`))
  const machine = `${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}`
  const named = versions.length > 0 ? ` ${versions.join(', ')}.` : ''
  return `${new Date().toISOString().slice(0, 10)}, ${machine}.${named}`
}

async function readVersion(name: string): Promise<string> {
  const path = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'))
  return typeof manifest === 'object' && manifest !== null ? String(Reflect.get(manifest, 'version')) : 'unknown'
}
