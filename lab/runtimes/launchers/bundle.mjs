import { join } from 'node:path'
import { build } from 'esbuild'

/** A program as one script, as a deployment would have it. */
export async function bundle(program, options) {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../programs', program)],
    bundle: true,
    write: false,
    ...options,
  })
  return outputFiles[0].text
}
