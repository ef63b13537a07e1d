import type { ConformanceClock } from '../clock.ts'
import { type ApiResponse, type Call, NoResponseError } from '../http/caller.ts'
import { at, itemsOf } from '../json.ts'
import type { ResolvedOptions } from '../options.ts'

/** So many outputs of each model, and files of each output, of deliveries and at other addresses, are read. */
const MOST_OUTPUTS = 2
const MOST_FILES = 4
/** A job that continued so long ago has just ended. */
const SOON_MS = 14_000

/** A request with its response. */
type Reply = Pick<Call, 'method' | 'path'> & { response: ApiResponse }

/** The produced files (section 2.5), each read right after its job ended: a service need not keep them. */
export class ProducedFiles {
  readonly #download: (url: string) => Promise<ApiResponse>
  readonly #clock: ConformanceClock
  /** How many times as many files are read. */
  readonly #depth: number
  /** Number of outputs of each model whose files were read. */
  readonly #outputs = new Map<string, number>()
  readonly responses: ApiResponse[] = []
  readonly #delivered = new Set<number>()
  /** Files that one body shows at one path and a later one at another: each read at both. */
  readonly moved: (readonly [ApiResponse, ApiResponse])[] = []

  constructor(download: (url: string) => Promise<ApiResponse>, { clock, depth }: ResolvedOptions) {
    this.#download = (url) => download(url).catch(notRead)
    this.#clock = clock
    this.#depth = Math.max(1, depth)
  }

  /**
   * Reads the files that a response shows.
   *
   * @param before all requests before it
   */
  async read(call: Reply, before: readonly Reply[]): Promise<void> {
    const { method, path, response } = call
    const items = [at(response.json, '/output/items'), at(response.json, '/data/output/items')].flatMap(itemsOf)
    const isOf = ({ response: { json } }: Reply) => path.endsWith(`/${encodeURIComponent(String(at(json, '/job_id')))}`)
    const run = String(method === 'GET' ? before.find(isOf)?.path : path)
    const count = this.#outputs.get(run) ?? 0
    if (items.length === 0 || count >= this.#depth * MOST_OUTPUTS || !this.#isJustOver(call, before)) return
    this.#outputs.set(run, count + 1)
    for (const url of items.slice(0, MOST_FILES).map((item) => String(at(item, '/url')))) {
      // What is no address is judged as such.
      if (isHttp(url)) this.responses.push(await this.#download(url))
    }
  }

  /** Reads the first file of each delivery that has just come. */
  async readDelivered(deliveries: readonly Pick<ApiResponse, 'json' | 'exchange'>[]): Promise<void> {
    for (const { json, exchange } of deliveries) {
      const url = String(at(json, '/output/items/0/url'))
      const isNew = this.#clock.now() - Date.parse(exchange.startedAt) < SOON_MS && !this.#delivered.has(exchange.id)
      if (!isNew || !isHttp(url) || this.#delivered.size >= this.#depth * MOST_FILES) continue
      this.#delivered.add(exchange.id)
      this.responses.push(await this.#download(url))
    }
  }

  /** @param outputs of one job, in the order in which they were shown */
  async readMoved(outputs: readonly unknown[]): Promise<void> {
    const urls = outputs.map((output) => String(at(output, '/items/0/url'))).filter(isHttp)
    const [first] = urls
    const other = urls.find((url) => pathOf(url) !== pathOf(first ?? url))
    if (first === undefined || other === undefined || this.moved.length >= this.#depth * MOST_FILES) return
    this.moved.push([await this.#download(first), await this.#download(other)])
  }

  #isJustOver({ method, path }: Reply, before: readonly Reply[]): boolean {
    if (method === 'POST') return true
    const last = before.findLast((one) => one.method === 'GET' && one.path === path)?.response
    const continued = /^(queued|processing)$/.test(String(at(last?.json, '/data/status')))
    return continued && this.#clock.now() - Date.parse(last?.exchange.startedAt ?? '') < SOON_MS
  }
}

const isHttp = (url: string) => /^https?:/i.test(url)

/** What stands behind it may be signed again. */
function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? url
}

/** A file whose host sends nothing must not end the scenario. */
function notRead(error: unknown): ApiResponse {
  if (!(error instanceof NoResponseError)) throw error
  const { exchange, message } = error
  return { exchange, status: 0, headers: new Headers(), text: message, json: undefined, durationMs: 0 }
}
