import { type BuildOptions, build } from 'esbuild'

/** The page of a site, which loads its script. The icon, so that the browser asks for none. */
export const PAGE =
  '<!doctype html><html lang="en"><title>Test</title><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>'

/** A script as a user's bundler makes it: with the `browser` condition, so that whatever needs Node fails here. */
export async function bundleScript(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2023',
    conditions: ['@modelrun/source'],
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}
