/** Something that was done to the server from outside: a run, a cancel, or a call of the control API that changed something. */
export interface Action {
  readonly [member: string]: unknown
  /** Milliseconds since 1970 on the server's clock. */
  readonly at: number
  /** Name of the call in the OpenAPI documents. */
  readonly call: string
  /** The API key whose account it was about; missing: the first. */
  readonly key?: string | undefined
  /** The job that it made, or was about. */
  readonly job_id?: string | undefined
  /** What it was called with. Of a run that made a job, the job has it. */
  readonly body?: unknown
  /** What it made: the id of a fault, or a key. */
  readonly made?: string | undefined
  /** Of a run: its path, and the status of the response, if one arrived. */
  readonly path?: string | undefined
  readonly status?: number | undefined
  /** Of a run: the job's status in the response. */
  readonly job_status?: string | undefined
}

/** So many are stored, the newest. */
const MAX_ACTIONS = 1_000

/** A reset leaves keys and time as they are. */
const KEPT_BY_RESET = /Key$|Clock/

/** What was done to the server, oldest first: enough to do it again in a test. */
export class Actions {
  #actions: Action[] = []

  add(action: Action): void {
    this.#actions.push(action)
    if (this.#actions.length > 2 * MAX_ACTIONS) this.#actions = this.list()
  }

  list(): Action[] {
    return this.#actions.slice(-MAX_ACTIONS)
  }

  /** @param isMeant whether an API key belongs to the account that was reset */
  forget(isMeant: (key: string | undefined) => boolean): void {
    this.#actions = this.#actions.filter(({ call, key }) => KEPT_BY_RESET.test(call) || !isMeant(key))
  }

  replace(actions: readonly Action[]): void {
    this.#actions = [...actions]
  }
}
