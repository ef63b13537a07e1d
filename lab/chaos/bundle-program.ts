import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Makes one file of a program. It starts in a quarter of the time, and it has to start often. */
export async function bundleProgram(program: URL, folder: string): Promise<string> {
  const outfile = join(folder, `${basename(program.pathname, '.ts')}.mjs`)
  await build({
    entryPoints: [fileURLToPath(program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@modelrun/source'],
    // CommonJS inside the bundle has no `require` and no file name of its own.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'
        const require = requireOf(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`,
    },
    // Clients may use a faster module that is not installed.
    external: ['pg-native'],
    logLevel: 'error',
  })
  return outfile
}
