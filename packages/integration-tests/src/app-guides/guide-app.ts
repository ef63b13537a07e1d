import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The app that a guide shows, written to a folder of its own. */
export interface GuideApp {
  text: string
  folder: string
  /** Path of each file of the guide. */
  files: string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Writes the files of a guide: its TypeScript blocks that start with their path as a comment. */
export async function writeGuideApp(guide: string): Promise<GuideApp> {
  const text = await readFile(new URL(`../../../../docs/guides/${guide}`, import.meta.url), 'utf8')
  // Inside the package, so that its imports resolve.
  const folder = await mkdtemp(fileURLToPath(new URL('../.documents-', import.meta.url)))
  const blocks = [...text.matchAll(/```typescript\n(\/\/ (\S+)\n.*?)```/gs)]
  const files = blocks.map(([, , path = '']) => path)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeNext(join(folder, 'node_modules/next'))
  for (const [, code = '', path = ''] of blocks) await writeModule(folder, path, code)
  return { text, folder, files, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

/** The alias `@/` of Next.js becomes an import that Node finds. */
async function writeModule(folder: string, path: string, code: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  const toRoot = relative(dirname(path), '.') || '.'
  await writeFile(join(folder, path), code.replace(/'@\/(.+?)'/g, `'${toRoot}/$1.ts'`))
}

/** What the files import of Next.js. */
async function writeNext(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "exports": { "./server": "./server.js" } }')
  await writeFile(join(folder, 'server.js'), 'export const after = (task) => void task()')
  const declaration = 'export declare function after<T>(task: Promise<T> | (() => T | Promise<T>)): void'
  await writeFile(join(folder, 'server.d.ts'), declaration)
}
