/** A server that went on from the state of another one, at a URL of its own. */
export interface Fork {
  /** Name of the fork, such as `fork_1`. */
  id: string
  url: string
  /** URL of its dashboard; missing when the server has none. */
  dashboardUrl?: string | undefined
}

/** The forks of a server that listens. */
export interface Forks {
  /** URL of the server that this one is a fork of. */
  readonly of: string | undefined
  /** Most forks of a server and of its forks together. */
  readonly limit: number
  readonly isFull: boolean
  list(): readonly Fork[]
  /** Stops a fork, or all. Gives how many were stopped. */
  stop(id?: string): Promise<number>
}
