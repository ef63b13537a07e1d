import type { ForkedServer, ForkTransport } from '../server-transport.ts'
import type { Fork } from '../service/forks.ts'
import { ListenError } from './errors.ts'

/** Most forks of a server and of its forks together: each has a port and a state of its own. */
export const MOST_FORKS = 8

/** How many more forks may run. A server shares it with its forks. */
export interface Places {
  left: number
}

interface RunningServer {
  url: string
  close(): Promise<void>
}

interface ServedForksOptions {
  /** URL of the server that the owner is a fork of. */
  of: string | undefined
  places: Places
  /** Path of the dashboard. */
  dashboardPath: string | undefined
  listen(fork: ForkedServer): Promise<RunningServer>
}

/** The forks of one server, each behind a port of its own. They end with their server. */
export class ServedForks implements ForkTransport {
  readonly limit = MOST_FORKS
  readonly of: string | undefined
  readonly #options: ServedForksOptions
  readonly #running = new Map<string, { fork: Fork; close(): Promise<void> }>()
  #opened = 0
  #isClosed = false

  constructor(options: ServedForksOptions) {
    this.#options = options
    this.of = options.of
  }

  get isFull(): boolean {
    return this.#options.places.left <= 0
  }

  async open(server: ForkedServer): Promise<Fork> {
    const { places, dashboardPath, listen } = this.#options
    places.left--
    const running = await listen(server).catch(async (error: unknown) => {
      places.left++
      throw error
    })
    const close = async () => {
      places.left++
      await running.close()
      await server.close()
    }
    if (this.#isClosed) {
      await close()
      throw new ListenError('The server was stopped while it was forked.')
    }
    const { url } = running
    const id = `fork_${++this.#opened}`
    const fork = { id, url, dashboardUrl: dashboardPath && `${url}${dashboardPath}` }
    this.#running.set(id, { fork, close })
    return fork
  }

  list(): readonly Fork[] {
    return [...this.#running.values()].map(({ fork }) => fork)
  }

  async stop(id?: string): Promise<number> {
    const stopped = [...this.#running].filter(([name]) => id === undefined || name === id)
    for (const [name] of stopped) this.#running.delete(name)
    await Promise.all(stopped.map(([, { close }]) => close()))
    return stopped.length
  }

  /** Stops all, and opens no more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.stop()
  }
}
