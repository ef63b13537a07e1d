import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A website on this machine. */
export interface Site {
  url: string
  close(): Promise<void>
}

/** An npm name under which a release of msw is installed. */
export type MswPackage = 'msw' | 'msw-2'

/** Serves a page whose script offers `usePage()`, with msw's service worker, on a free port. */
export async function openSite(msw: MswPackage): Promise<Site> {
  // The icon, so that the browser asks for none.
  const icon = '<link rel="icon" href="data:,">'
  const page = `<!doctype html><title>Test</title>${icon}<body><script type="module" src="/page.js"></script>`
  const files = new Map([
    ['/', { type: 'text/html', text: page }],
    ['/page.js', { type: 'text/javascript', text: await bundlePage(msw) }],
    ['/mockServiceWorker.js', { type: 'text/javascript', text: await readWorkerScript(msw) }],
  ])
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '')
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': file?.type ?? 'text/plain' }).end(file?.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // bound to a port, so no pipe
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/`, close }
}

/** As a user's bundler would: with the `browser` condition, so that whatever needs Node fails here. */
async function bundlePage(msw: MswPackage): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./page.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2023',
    conditions: ['@modelrun/source'],
    alias: msw === 'msw' ? {} : { msw },
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** The file that `npx msw init` copies into a website. */
function readWorkerScript(msw: MswPackage): Promise<string> {
  return readFile(
    join(dirname(fileURLToPath(import.meta.resolve(`${msw}/package.json`))), 'lib/mockServiceWorker.js'),
    'utf8',
  )
}
