import { type Checks, isPlainData, readArguments, readOptions } from '../arguments/read-options.ts'
import { showValue } from '../arguments/show-value.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { hosts } from './inbox-option-checks.ts'
import { isLoopback } from './loopback.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Options of {@link isSafeOutputUrl}. */
export interface OutputUrlOptions {
  /**
   * The only hosts that are allowed: `files.example.com`, `*.example.com` for every name below it, or with a port
   * `localhost:4010`. What is listed is trusted: an address given as a number counts, and plain http does where it is
   * this machine (`127.0.0.1`). Default: every public name.
   */
  allowedHosts?: readonly string[] | undefined
}

const OUTPUT_URL_OPTIONS: Checks<OutputUrlOptions> = { allowedHosts: hosts }

/** An address of an event that should not be fetched. */
export interface OutputUrlProblem {
  /** Index of the item in `output.items`. */
  index: number
  /** What is wrong with it, without the address. */
  problem: string
}

/**
 * Looks at the addresses of the files of an event (section 2.5) before anything is fetched from them: a forged delivery
 * could make the receiver read what only the receiver can reach.
 *
 * @returns Empty when every address is safe, and for events that are no success
 * @throws ConfigurationError when an argument is wrong, for instance when `allowedHosts` holds something that is no host
 */
export function checkOutputUrls(event: WebhookEvent, options: OutputUrlOptions = {}): OutputUrlProblem[] {
  const place = 'checkOutputUrls'
  const rules = readRules(place, options)
  return readArguments(place, (report) => {
    report('event', isPlainData(event) ? undefined : `must be the event of a webhook, not ${showValue(event)}`)
    const items = event.status === 'succeeded' ? event.output.items : []
    return items.flatMap(({ url }, index) => {
      const problem = findProblem(url, rules)
      return problem === undefined ? [] : [{ index, problem }]
    })
  })
}

/**
 * True for an https address of a public name, or of a host that is allowed. It is the address that is looked at: where a
 * name points to, and where a server redirects to, is known to nobody before the download. A list of allowed hosts is
 * the sure way.
 *
 * @example
 * if (isSafeOutputUrl(item.url, { allowedHosts: ['*.example.com'] })) await client.files.download(item)
 *
 * @throws ConfigurationError when `allowedHosts` holds something that is no host
 */
export function isSafeOutputUrl(url: string, options: OutputUrlOptions = {}): boolean {
  return findProblem(url, readRules('isSafeOutputUrl', options)) === undefined
}

interface Rule {
  hostname: string
  /** As written; undefined for every port. */
  port: string | undefined
  /** True for the names below, not the name itself. */
  isSuffix: boolean
}

function findProblem(address: string, rules: readonly Rule[] | undefined): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return 'it is no address'
  const url = new URL(address)
  const isListed = rules?.some((rule) => matches(rule, url)) ?? false
  const isLocalHttp = url.protocol === 'http:' && isListed && isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !isLocalHttp) return 'it is not https'
  if (url.username !== '' || url.password !== '') return 'it holds a user or a password'
  if (rules !== undefined) return isListed ? undefined : 'its host is none of the allowed ones'
  if (isNumeric(url.hostname)) return 'its host is a number instead of a name'
  return isPublicName(url.hostname) ? undefined : 'its host is a name within a private network'
}

function matches({ hostname, port, isSuffix }: Rule, url: URL): boolean {
  if (port !== undefined && port !== portOf(url)) return false
  const host = withoutDot(url.hostname)
  return isSuffix ? host.endsWith(`.${hostname}`) : host === hostname
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

/** `URL` has written every form of a number (decimal, octal, hexadecimal, short) as one of these two. */
function isNumeric(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Names that mean something else in each network: without a dot, and of the zones that are reserved for that. */
function isPublicName(hostname: string): boolean {
  return /\.(?!(local|localhost|localdomain|internal|intranet|lan|home|corp|private|arpa|onion)$)[^.]+$/.test(
    withoutDot(hostname),
  )
}

/** `example.com.` is the same name. */
function withoutDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}

function readRules(place: string, options: OutputUrlOptions): Rule[] | undefined {
  return readOptions(place, options, OUTPUT_URL_OPTIONS).allowedHosts?.map(readRule)
}

function readRule(entry: string): Rule {
  const isSuffix = entry.startsWith('*.')
  const host = isSuffix ? entry.slice(2) : entry
  const address = `https://${host}`
  // What `URL` takes for a path, a query, a user or a second star is no part of a host.
  if (host === '' || /[/?#@*\\\s]/.test(host) || !URL.canParse(address)) throw notAHost(entry)
  const { hostname } = new URL(address)
  if (isSuffix && isNumeric(hostname)) throw notAHost(entry)
  const [, port] = /:(\d+)$/.exec(host.replace(/^\[.*\]/, '')) ?? []
  return { hostname: withoutDot(hostname), port: port === undefined ? undefined : String(Number(port)), isSuffix }
}

function notAHost(entry: string): ConfigurationError {
  return new ConfigurationError({
    message:
      `The allowed host ${JSON.stringify(entry)} is none: give a name such as "files.example.com", ` +
      '"*.example.com" for every name below it, or one with its port such as "localhost:4010".',
  })
}
