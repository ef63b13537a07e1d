import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PACKAGE = fileURLToPath(new URL('../', import.meta.url))

/** The command, built of the sources of all packages: it starts much faster than from the sources themselves. */
export interface BuiltCommand {
  path: string
  remove(): Promise<void>
}

/** Builds the command inside the package, where its imports of the package resolve. */
export async function buildCommand(): Promise<BuiltCommand> {
  const outdir = await mkdtemp(join(PACKAGE, 'node_modules/.test-build-'))
  await build({
    entryPoints: [join(PACKAGE, 'src/main.ts')],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    conditions: ['@modelrun/source'],
    banner: {
      js: "import { createRequire as nodeRequire } from 'node:module'; const require = nodeRequire(import.meta.url);",
    },
  })
  return { path: join(outdir, 'main.mjs'), remove: () => rm(outdir, { recursive: true, force: true }) }
}
