import type { OutputItem } from '@modelrun/contract'
import {
  type Checks,
  isPlainData,
  isRecord,
  memberOf,
  readArguments,
  readOptions,
  showValue,
  toUrl,
} from '@modelrun/kit'
import { findUrlProblem, readHostRules, type UrlRules } from '../shared/host-rules.ts'
import { hosts } from './inbox-checks.ts'
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

const OUTPUT_URL_OPTIONS: Checks<OutputUrlOptions> = { allowedHosts: hosts }

/** The URL of a file that should not be fetched. */
export interface OutputUrlProblem {
  /** Index of the item in `output.items`. */
  index: number
  /** What is wrong with the URL. Does not contain the URL. */
  problem: string
}

/**
 * Checks the URLs of the files of an event (section 2.5) before they are fetched: a forged delivery could link to hosts that
 * only the receiver can reach.
 *
 * @returns the unsafe URLs; empty for events that are not a success
 * @throws ConfigurationError when an argument is wrong, for instance when `allowedHosts` has an entry that is not a host
 */
export function checkOutputUrls(event: WebhookEvent, options: OutputUrlOptions = {}): OutputUrlProblem[] {
  const place = 'checkOutputUrls'
  const rules = readRules(place, options)
  return readArguments(place, (report) => {
    report('event', isPlainData(event) ? undefined : `must be the event of a webhook, not ${showValue(event)}`)
    const items = event.status === 'succeeded' ? event.output.items : []
    return items.flatMap((item, index) => {
      const problem = isFetched(item) ? findProblem(item.url, rules) : undefined
      return problem === undefined ? [] : [{ index, problem }]
    })
  })
}

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

/** An item such as text may have no file, and a data URI contains it. */
function isFetched(item: OutputItem): boolean {
  return 'url' in item && !/^data:/i.test(item.url)
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
 * Checks the links of an event against `allowedOutputHosts`.
 *
 * @returns why no handler may get the event; undefined when it may
 */
export function findOutputProblem(allowedHosts: readonly string[], event: WebhookEvent): string | undefined {
  const [found] = checkOutputUrls(withOutput(event), { allowedHosts })
  return found && `The URL of item ${found.index} of the output must not be fetched: ${found.problem}.`
}

/** Events of unknown status can have an output, too. */
function withOutput(event: WebhookEvent): WebhookEvent {
  if (event.status !== 'unknown') return event
  const items = memberOf(event.payload.output, 'items')
  if (!Array.isArray(items)) return event
  const linked = items.filter((item): item is OutputItem => isRecord(item))
  return { job_id: event.job_id, status: 'succeeded', output: { type: 'unknown', items: linked } }
}
