import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A TypeScript block of a document. */
export interface CodeBlock {
  /** The document, the heading above the block, and its number below that. */
  title: string
  code: string
}

/** Every TypeScript block of a document. */
export async function blocksOf(document: string): Promise<CodeBlock[]> {
  const text = await readFile(join(ROOT, document), 'utf8')
  return text.split(/^## /m).flatMap((section) =>
    [...section.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ''], index) => ({
      title: `${document}: ${section.split('\n', 1)[0]} (${index + 1})`,
      code,
    })),
  )
}
