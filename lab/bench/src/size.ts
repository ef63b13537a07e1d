/** What a client adds to a browser bundle. */
import { gzipSync } from 'node:zlib'
import { build, type Metafile, type OutputFile } from 'esbuild'
import { report, table } from './harness/report.ts'
import { formatNumber } from './harness/stats.ts'

/** Nothing is written there. */
const OUTPUT = import.meta.dirname

interface Program {
  title: string
  source: string
}

const PROGRAMS: readonly Program[] = [
  { title: '**modelrun**, client', source: `export { ModelRun } from 'modelrun'` },
  { title: '**modelrun**, all it exports', source: `export * from 'modelrun'` },
  { title: '**modelrun**, error guards only', source: `export { ApiError, ModelRunError } from 'modelrun'` },
  { title: '**modelrun**, error classes only', source: `export { ApiError, JobFailedError } from 'modelrun'` },
  { title: '**modelrun/webhooks**, inbox', source: `export { createInbox } from 'modelrun/webhooks'` },
  { title: '**modelrun/webhooks**, parser only', source: `export { parseWebhook } from 'modelrun/webhooks'` },
  { title: 'ky', source: `export { default } from 'ky'` },
  {
    title: 'ky + zod/mini, one schema',
    source: `import ky from 'ky'
      import * as z from 'zod/mini'
      const schema = z.looseObject({ data: z.looseObject({ status: z.string() }) })
      export const getJob = async (url) => schema.parse(await ky(url).json())`,
  },
  { title: 'replicate, client', source: `export { default } from 'replicate'` },
  { title: '@fal-ai/client, client', source: `export { createFalClient } from '@fal-ai/client'` },
  { title: 'openai, client', source: `export { default } from 'openai'` },
  { title: 'openai, one error class only', source: `export { APIError } from 'openai'` },
  { title: '@anthropic-ai/sdk, client', source: `export { default } from '@anthropic-ai/sdk'` },
  { title: '@anthropic-ai/sdk, one error class only', source: `export { APIError } from '@anthropic-ai/sdk'` },
]

/** The chunks of a program; one, unless it is split at `import()`. */
async function bundle({ source }: Program, splitting: boolean): Promise<{ files: OutputFile[]; metafile: Metafile }> {
  const { outputFiles: files, metafile } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    splitting,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    outdir: OUTPUT,
    absWorkingDir: OUTPUT,
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  return { files, metafile }
}

/** The chunks that a page loads at once. */
function firstLoad({ outputs }: Metafile): Set<string> {
  const found = new Set(['stdin.js'])
  for (const path of found) {
    for (const { kind, path: target } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') found.add(target)
    }
  }
  return found
}

function gzippedBytes(files: readonly OutputFile[]): number {
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}

async function measure(program: Program): Promise<string[]> {
  const { files } = await bundle(program, false)
  const split = await bundle(program, true)
  const paths = firstLoad(split.metafile)
  const first = split.files.filter(({ path }) => paths.has(path.slice(OUTPUT.length + 1)))
  const minified = files.reduce((sum, { contents }) => sum + contents.length, 0)
  const sizes = [minified, gzippedBytes(files), gzippedBytes(first)]
  return [program.title, ...sizes.map((bytes) => formatNumber(bytes, 0))]
}

const rows: string[][] = []
for (const program of PROGRAMS) rows.push(await measure(program))

await report('size', [
  'Bytes of a browser bundle that holds one import: esbuild, minified, ES2023; then gzip -9. The last column is what a page loads at first when the bundler splits at `import()`; modules that both halves use count there whole. Deterministic.',
  table(['import', 'minified', 'gzip', 'first load when split, gzip'], rows),
])
