import { build } from 'esbuild'

/** One file: the frame gets it as a text. */
export async function GET() {
  const { outputFiles } = await build({
    entryPoints: ['src/play/runtime.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    conditions: ['@modelrun/source'],
    write: false,
  })
  return new Response(outputFiles[0]?.text, { headers: { 'content-type': 'text/javascript' } })
}
