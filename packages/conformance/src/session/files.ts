import type { ConformanceClock } from '../clock.ts'
import { type ApiResponse, type Call, NoResponseError } from '../http/caller.ts'
import { at, itemsOf } from '../json.ts'

/** The outputs of each model, and the files of each output, that are read. */
const MOST_OUTPUTS = 2
const MOST_FILES = 4
/** A job that was read as unfinished this long ago has just ended. */
const SOON_MS = 14_000

/** A request with its response. */
type Reply = Pick<Call, 'method' | 'path'> & { response: ApiResponse }

/** The produced files (section 2.5), each read right after its job ended: a service need not keep them. */
export class ProducedFiles {
  readonly #download: (url: string) => Promise<ApiResponse>
  readonly #clock: ConformanceClock
  /** Number of outputs whose files were read, by the path of their run. */
  readonly #outputs = new Map<string, number>()
  readonly responses: ApiResponse[] = []
  /** Files that one body shows at one path and a later one at another: each read at both. */
  readonly moved: (readonly [ApiResponse, ApiResponse])[] = []

  constructor(download: (url: string) => Promise<ApiResponse>, clock: ConformanceClock) {
    this.#download = (url) => download(url).catch(notRead)
    this.#clock = clock
  }

  /**
   * Reads the files that a response shows.
   *
   * @param before all requests before it
   */
  async read({ method, path, response }: Reply, before: readonly Reply[]): Promise<void> {
    const items = [at(response.json, '/output/items'), at(response.json, '/data/output/items')].flatMap(itemsOf)
    const isRunOfJob = ({ response: { json } }: Reply) =>
      path.endsWith(`/${encodeURIComponent(String(at(json, '/job_id')))}`)
    const run = method === 'GET' ? String(before.find(isRunOfJob)?.path) : path
    const count = this.#outputs.get(run) ?? 0
    const isNew =
      method === 'POST' || this.#hasJustEnded(before.findLast((one) => one.method === 'GET' && one.path === path))
    if (items.length === 0 || count >= MOST_OUTPUTS || !isNew) return
    this.#outputs.set(run, count + 1)
    const urls = items.slice(0, MOST_FILES).map((item) => String(at(item, '/url')))
    // Those without http are judged elsewhere.
    for (const url of urls) if (/^https?:/i.test(url)) this.responses.push(await this.#download(url))
  }

  /** @param outputs of one job, in the order in which they were shown */
  async readMoved(outputs: readonly unknown[]): Promise<void> {
    const urls = outputs.map((output) => String(at(output, '/items/0/url'))).filter((url) => /^https?:/i.test(url))
    const [first = ''] = urls
    const other = urls.find((url) => url.split(/[?#]/, 1)[0] !== first.split(/[?#]/, 1)[0])
    if (other !== undefined && this.moved.length < MOST_FILES)
      this.moved.push([await this.#download(first), await this.#download(other)])
  }

  #hasJustEnded(last: Reply | undefined): boolean {
    const continued = /^(queued|processing)$/.test(String(at(last?.response.json, '/data/status')))
    return continued && this.#clock.now() - Date.parse(last?.response.exchange.startedAt ?? '') < SOON_MS
  }
}

/** A file whose host sends nothing must not end the scenario. */
function notRead(error: unknown): ApiResponse {
  if (!(error instanceof NoResponseError)) throw error
  const { exchange, message } = error
  return { exchange, status: 0, headers: new Headers(), text: message, json: undefined, durationMs: 0 }
}
