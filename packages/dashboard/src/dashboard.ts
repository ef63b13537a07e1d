import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

/** Where the page is. */
export interface DashboardOptions {
  /** Folder of the built page. Default: that of this package. */
  folder?: string | undefined
}

/** The page, held in memory. */
export interface Dashboard {
  /** Path of the page: `/_dashboard/`. */
  readonly path: string
  /**
   * The response to a request for one of its files; `undefined` for any other request. A browser that asks for `/` is led
   * to the page.
   */
  respond(request: Pick<Request, 'method' | 'url'> & { headers: Pick<Headers, 'get'> }): Response | undefined
}

const PATH = '/_dashboard/'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The page loads nothing from elsewhere, runs no script but its own, and is shown in no frame. */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'media', 'connect'].map((kind) => `${kind}-src 'self'`),
  ...['base-uri', 'form-action', 'frame-ancestors'].map((rule) => `${rule} 'none'`),
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

interface PageFile {
  bytes: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

/**
 * Reads the page into memory. It holds no data and no key: it asks the control API of the server that serves it.
 *
 * @throws Error of `node:fs` when the folder has no page
 */
export async function createDashboard({ folder = ownFolder() }: DashboardOptions = {}): Promise<Dashboard> {
  const files = await readFiles(folder)
  return {
    path: PATH,
    respond: ({ method, url, headers }) => {
      if (method !== 'GET' && method !== 'HEAD') return undefined
      const { pathname } = new URL(url)
      const wantsPage = headers.get('accept')?.includes('text/html') === true
      if (`${pathname}/` === PATH || (pathname === '/' && wantsPage)) {
        return new Response(null, { status: 302, headers: { ...HEADERS, location: PATH } })
      }
      const file = pathname === PATH ? files.get('index.html') : files.get(pathname.slice(PATH.length))
      if (file === undefined || !pathname.startsWith(PATH)) return undefined
      return new Response(method === 'HEAD' ? null : file.bytes, { headers: file.headers })
    },
  }
}

/** `dist/page` of this package, from its sources and from its build. */
function ownFolder(): string {
  const here = typeof __dirname === 'string' ? __dirname : import.meta.dirname
  return join(here, '../dist/page')
}

async function readFiles(folder: string): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>()
  // Not `withFileTypes`, whose entries have no folder in the archives of Yarn. Each file has an extension.
  for (const name of await readdir(folder, { recursive: true })) {
    if (extname(name) !== '') files.set(name.split(sep).join('/'), await readPageFile(join(folder, name)))
  }
  return files
}

async function readPageFile(path: string): Promise<PageFile> {
  const bytes = Uint8Array.from(await readFile(path))
  return {
    bytes,
    headers: {
      ...HEADERS,
      'content-type': CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
      'content-length': String(bytes.byteLength),
      // The names of the other files change with what is in them.
      'cache-control': extname(path) === '.html' ? 'no-cache' : 'max-age=31536000, immutable',
    },
  }
}
