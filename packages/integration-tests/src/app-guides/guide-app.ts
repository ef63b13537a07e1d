import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The app that a guide shows, written to a folder of its own. */
export interface GuideApp {
  text: string
  folder: string
  /** Path of each file of the guide. */
  files: string[]
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Writes the files of a guide: its TypeScript blocks that begin with their path as a comment. The alias `@/` of Next.js
 * becomes an import that Node finds.
 */
export async function writeGuideApp(guide: string): Promise<GuideApp> {
  const text = await readFile(new URL(`../../../../docs/guides/${guide}`, import.meta.url), 'utf8')
  // Inside the package, so that its imports resolve.
  const folder = await mkdtemp(fileURLToPath(new URL('../.documents-', import.meta.url)))
  const files: string[] = []
  for (const [, code = '', path = ''] of text.matchAll(/```typescript\n(\/\/ (\S+)\n.*?)```/gs)) {
    files.push(path)
    await mkdir(dirname(join(folder, path)), { recursive: true })
    const root = pathToFileURL(folder).href
    await writeFile(join(folder, path), code.replace(/(['"])@\/(.+?)\1/g, `'${root}/$2.ts'`))
  }
  return { text, folder, files, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}
