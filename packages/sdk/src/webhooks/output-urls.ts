import { type Checks, isText, must, readOptions, toUrl } from '@modelrun/kit'
import { findUrlProblem, readHostRules } from '../shared/host-rules.ts'

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

const OUTPUT_URL_OPTIONS: Checks<OutputUrlOptions> = /* @__PURE__ */ (() => ({
  allowedHosts: must("a list of hosts, like ['*.example.com']", (value) => Array.isArray(value) && value.every(isText)),
}))()

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
  const { allowedHosts } = readOptions('isSafeOutputUrl', options, OUTPUT_URL_OPTIONS)
  const rules = { hosts: allowedHosts && readHostRules(allowedHosts) }
  const parsed = toUrl(url)
  return parsed !== undefined && findUrlProblem(parsed, rules) === undefined
}
