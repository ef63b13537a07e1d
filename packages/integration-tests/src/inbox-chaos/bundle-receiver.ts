import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Makes one file of the receiver program. It starts in a quarter of the time, and it has to start thousands of times. */
export async function bundleReceiver(folder: string): Promise<string> {
  const outfile = join(folder, 'receiver.cjs')
  await build({
    entryPoints: [fileURLToPath(new URL('./receiver-process.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['@modelrun/source'],
    // Clients may use a faster module that is not installed.
    external: ['pg-native'],
    logLevel: 'warning',
  })
  return outfile
}
