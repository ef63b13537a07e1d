import { type Checks, isPlainData, readArguments, readOptions } from '../arguments/read-options.ts'
import { showValue } from '../arguments/show-value.ts'
import { findUrlProblem, readHostRules, type UrlRules } from '../hosts/host-rules.ts'
import { hosts } from './inbox-checks.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Options of {@link isSafeOutputUrl}. */
export interface OutputUrlOptions {
  /**
   * The only hosts that are allowed: `files.example.com`, `*.example.com` for every name below it, or with a port
   * `localhost:4010`. What is listed is trusted: an address given as a number counts, and plain http does where it is
   * this machine (`127.0.0.1`). Default: every public name. Not public are names without a dot, those of zones such as
   * `.internal`, `.svc` or `.test`, and names that hold a private number (`10-0-0-1.example.com`, `127.0.0.1.nip.io`).
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
 * True for an https url of a public name, or of a host that is allowed. Only the url is checked: where a name points to is
 * not known before the download. A list of allowed hosts is the sure way; pass it to `files.download` too, which checks
 * redirects.
 *
 * @example
 * const allowedHosts = ['*.example.com']
 * if (isSafeOutputUrl(item.url, { allowedHosts })) await client.files.download(item, { allowedHosts })
 *
 * @throws ConfigurationError when `allowedHosts` holds something that is no host
 */
export function isSafeOutputUrl(url: string, options: OutputUrlOptions = {}): boolean {
  return findProblem(url, readRules('isSafeOutputUrl', options)) === undefined
}

function findProblem(url: string, rules: UrlRules): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'it is no address'
  return findUrlProblem(new URL(url), rules)
}

function readRules(place: string, options: OutputUrlOptions): UrlRules {
  const { allowedHosts } = readOptions(place, options, OUTPUT_URL_OPTIONS)
  return { hosts: allowedHosts && readHostRules(allowedHosts) }
}
