import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleScript, PAGE } from './bundle-script.ts'

/** A website on this machine. */
export interface Site {
  url: string
  close(): Promise<void>
}

/** An npm name under which a release of msw is installed. */
export type MswPackage = 'msw' | 'msw-2'

/** Serves a page whose script offers `usePage()`, with msw's service worker, on a free port. */
export async function openSite(msw: MswPackage): Promise<Site> {
  const files = new Map([
    ['/', { type: 'text/html', text: PAGE }],
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

function bundlePage(msw: MswPackage): Promise<string> {
  const entryPoints = [fileURLToPath(new URL('./page.ts', import.meta.url))]
  return bundleScript({ entryPoints, alias: msw === 'msw' ? {} : { msw } })
}

/** The file that `npx msw init` copies into a website. */
function readWorkerScript(msw: MswPackage): Promise<string> {
  return readFile(
    join(dirname(fileURLToPath(import.meta.resolve(`${msw}/package.json`))), 'lib/mockServiceWorker.js'),
    'utf8',
  )
}
