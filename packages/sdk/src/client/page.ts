import { ConfigurationError } from '@modelrun/kit'

/** The options that decide whether a client runs in a page, without a key. */
interface PageOptions {
  apiKey?: unknown
  baseUrl?: string | undefined
  dangerouslyAllowBrowser?: boolean | undefined
}

/** Test environments that imitate a page, by the user agents that they give. */
const IMITATIONS = /jsdom|HappyDOM/i

/** The origin of the page in a program without a page. Names below `.invalid` never exist (RFC 2606). */
const NO_PAGE = 'http://no-page.invalid'

/**
 * True in a page of a browser and in its workers. Node, Deno, Bun and Cloudflare have workers of their own, whose user
 * agents do not start as those of browsers; jsdom and happy-dom run on the machine of a developer.
 */
export function isBrowser(): boolean {
  const userAgent = globalThis.navigator?.userAgent ?? ''
  if (IMITATIONS.test(userAgent)) return false
  const isPage = typeof window !== 'undefined' && typeof window.document !== 'undefined'
  return isPage || (isWorkerScope() && userAgent.startsWith('Mozilla/'))
}

function isWorkerScope(): boolean {
  const scope: unknown = Reflect.get(globalThis, 'WorkerGlobalScope')
  return typeof scope === 'function' && globalThis instanceof scope
}

/** True for a client whose requests go to a proxy, which adds the key. */
export function isKeyless({ apiKey, baseUrl, dangerouslyAllowBrowser = false }: PageOptions): boolean {
  return apiKey === undefined && (isPath(baseUrl) || (isBrowser() && !dangerouslyAllowBrowser))
}

/** A path is below the origin of the page. Two slashes start another origin. */
function isPath(baseUrl: string | undefined): baseUrl is string {
  return typeof baseUrl === 'string' && /^\/(?!\/)/.test(baseUrl)
}

/**
 * The whole url of a path. On a server, where pages are rendered in advance, a client without a key can be made of
 * one as well; only its calls fail, by {@link keyOfPage}.
 */
export function absoluteUrl(options: PageOptions): string | undefined {
  const { baseUrl } = options
  const origin = pageOrigin() ?? (isKeyless(options) ? NO_PAGE : undefined)
  return isPath(baseUrl) && origin !== undefined ? origin + baseUrl : baseUrl
}

/** The `apiKey` function of a client without a key. Where there is no page, it throws an error that explains the problem. */
export function keyOfPage({ baseUrl }: PageOptions): (() => Promise<never>) | undefined {
  if (!isPath(baseUrl) || pageOrigin() !== undefined) return undefined
  const app = anyOrigin()
  const problem =
    app === undefined
      ? 'which works in a page only, and this is not one. On a server, pass the whole url and the key.'
      : `and the page is from ${app}, where no server is. Pass the whole url of your proxy, and add ${app} to its \`allowedOrigins\`.`
  return async () => {
    throw new ConfigurationError({
      message: `The option \`baseUrl\` is the path ${JSON.stringify(baseUrl)}, ${problem}`,
    })
  }
}

/** The origin of the page or of its worker; undefined where there is none, for instance on a server. */
function pageOrigin(): string | undefined {
  const origin = anyOrigin()
  return origin !== undefined && /^https?:/.test(origin) ? origin : undefined
}

/** Also that of an app or an extension, such as `capacitor://localhost`. Where it is a file, there is none. */
function anyOrigin(): string | undefined {
  const origin = globalThis.location?.origin
  return origin?.includes('://') && !origin.startsWith('file:') ? origin : undefined
}

/** Why a request of a page to another origin may have failed. Browsers have one message for all of it. */
export function describeCors(url: string): string {
  const origin = anyOrigin()
  const target = new URL(url).origin
  if (origin === undefined || origin === target) return ''
  const advice =
    pageOrigin() === undefined
      ? `A proxy needs ${origin} in its \`allowedOrigins\``
      : 'A proxy on the origin of the page needs no permission'
  return ` The page is from ${origin}: either the network failed, or ${target} does not allow pages from there (CORS). A browser does not say which; its console may. ${advice}: see \`modelrun/proxy\`.`
}
