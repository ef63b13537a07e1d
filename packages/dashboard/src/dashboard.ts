import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'

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
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

type Bytes = Uint8Array<ArrayBuffer>

interface PageFile {
  bytes: Bytes
  /** With gzip: on the way from a container to a browser, size matters. */
  small: Bytes
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
      if (`${pathname}/` === PATH || (pathname === '/' && wantsPage)) return ledToPage()
      const file = pathname === PATH ? files.get('index.html') : files.get(pathname.slice(PATH.length))
      if (file === undefined || !pathname.startsWith(PATH)) return undefined
      return responseOf(file, method === 'HEAD', headers.get('accept-encoding')?.includes('gzip') === true)
    },
  }
}

function responseOf({ bytes, small, headers }: PageFile, isHead: boolean, isSmall: boolean): Response {
  const body = isSmall ? small : bytes
  const encoding = isSmall ? { 'content-encoding': 'gzip' } : {}
  const length = { 'content-length': String(body.byteLength) }
  return new Response(isHead ? null : body, { headers: { ...headers, ...length, ...encoding } })
}

function ledToPage(): Response {
  return new Response(null, { status: 302, headers: { ...HEADERS, location: PATH } })
}

/** `dist/page` of this package, from its sources and from its build. */
function ownFolder(): string {
  const here = typeof __dirname === 'string' ? __dirname : import.meta.dirname
  return join(here, '../dist/page')
}

async function readFiles(folder: string): Promise<Map<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = paths.map(
    async (path) => [relative(folder, path).split(sep).join('/'), await readPageFile(path)] as const,
  )
  return new Map(await Promise.all(files))
}

async function readPageFile(path: string): Promise<PageFile> {
  const bytes = Uint8Array.from(await readFile(path))
  const isHtml = extname(path) === '.html'
  return {
    bytes,
    small: Uint8Array.from(gzipSync(bytes, { level: 9 })),
    headers: {
      ...HEADERS,
      'content-type': CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
      vary: 'accept-encoding',
      // The names of the other files change with what is in them.
      'cache-control': isHtml ? 'no-cache' : 'max-age=31536000, immutable',
    },
  }
}
