import { type Checks, isText, memberOf, must, readOptions, toUrl } from '@modelrun/kit'
import { findUrlProblem, readHostRules, type UrlRules } from '../shared/host-rules.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Options of {@link isSafeOutputUrl}. */
export interface OutputUrlOptions {
  /**
   * The only hosts that are allowed: `files.example.com`, `*.example.com` for every name below it, or with a port
   * `localhost:4010`. A listed host may be an IP address, and http is allowed on this machine (`127.0.0.1`). Default: every
   * public name. Not public are names without a dot, names of zones such as `.internal`, `.svc` or `.test`, and names that
   * contain a private IP address (`10-0-0-1.example.com`, `127.0.0.1.nip.io`).
   */
  allowedHosts?: readonly string[] | undefined
}

export const hosts = /* @__PURE__ */ must(
  "a list of hosts, like ['*.example.com']",
  (value) => Array.isArray(value) && value.every(isText),
)

const OUTPUT_URL_OPTIONS: Checks<OutputUrlOptions> = { allowedHosts: hosts }

/**
 * True for an https URL of a public name, or of an allowed host. Only the URL is checked, and not the IP address that the name
 * resolves to: a list of allowed hosts is safer. Pass the list to `files.download`, too, which checks redirects.
 *
 * @example
 * const allowedHosts = ['*.example.com']
 * if (isSafeOutputUrl(item.url, { allowedHosts })) await client.files.download(item, { allowedHosts })
 *
 * @throws ConfigurationError when `allowedHosts` has an entry that is not a host
 */
export function isSafeOutputUrl(url: string, options: OutputUrlOptions = {}): boolean {
  return findProblem(url, readRules('isSafeOutputUrl', options)) === undefined
}

function findProblem(url: string, rules: UrlRules): string | undefined {
  const parsed = toUrl(url)
  return parsed === undefined ? 'it is not a URL' : findUrlProblem(parsed, rules)
}

function readRules(place: string, options: OutputUrlOptions): UrlRules {
  const { allowedHosts } = readOptions(place, options, OUTPUT_URL_OPTIONS)
  return { hosts: allowedHosts && readHostRules(allowedHosts) }
}

/**
 * Checks the links of an event (section 2.5) against `allowedOutputHosts`.
 *
 * @returns why no handler may get the event; undefined when it may
 */
export function findOutputProblem(allowedHosts: readonly string[], event: WebhookEvent): string | undefined {
  const rules = readRules('createInbox', { allowedHosts })
  for (const [index, item] of itemsOf(event).entries()) {
    // An item such as text may have no file, and a data URI contains it.
    const url = String(memberOf(item, 'url') ?? 'data:')
    const problem = /^data:/i.test(url) ? undefined : findProblem(url, rules)
    if (problem !== undefined) return `The URL of item ${index} of the output must not be fetched: ${problem}.`
  }
  return undefined
}

/** The items of the output. Events of unknown status can have an output, too. */
function itemsOf(event: WebhookEvent): readonly unknown[] {
  if (event.status === 'failed') return []
  const items = memberOf(event.status === 'unknown' ? event.payload.output : event.output, 'items')
  return Array.isArray(items) ? items : []
}
