import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'

/** The packages whose versions a result names by default. */
const PACKAGES = ['@anthropic-ai/sdk', '@fal-ai/client', 'ky', 'openai', 'replicate', 'zod']

/** A Markdown table. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Prints a result and keeps it in `results/<name>.md`. */
export async function report(name: string, paragraphs: readonly string[], packages = PACKAGES): Promise<void> {
  const text = `${[`# ${name}`, ...paragraphs, await describeRun(packages)].join('\n\n')}\n`
  const folder = new URL('../../results/', import.meta.url)
  await mkdir(folder, { recursive: true })
  await writeFile(new URL(`${name}.md`, folder), text)
  console.log(text)
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
