import { type RedisConnection, RedisQueueBackend } from 'bullmq'
import { isJobId } from './bullmq-jobs.ts'

type Client = Awaited<RedisConnection['client']>
type AddJob = RedisQueueBackend['addJob']

/** The scripts of BullMQ that change the list of a task, and the index of its id in their arguments. */
const ID_AT: Readonly<Record<string, number>> = { moveToFinished: 14, reprocessJob: 9, removeJob: 2 }

/** The keys of the lists of a queue. */
export interface ListKeys {
  open: string
  done: string
  dead: string
  seq: string
}

/**
 * BullMQ stores waiting jobs in a list, whose positions shift, and finished jobs by time, which many share. So this backend adds
 * sorted sets with the order of tasks, and writes them in one transaction with each change.
 */
export class ListedBackend extends RedisQueueBackend {
  readonly lists: ListKeys

  constructor(lists: ListKeys, ...args: ConstructorParameters<typeof RedisQueueBackend>) {
    super(...args)
    this.lists = lists
  }

  override async addJob(...[job, id, parent]: Parameters<AddJob>): ReturnType<AddJob> {
    return this.addJobToTransaction(this.#listing(await this.client, id), job, id, parent)
  }

  override execCommand(client: Client, name: string, args: unknown[]): unknown {
    const at = ID_AT[name]
    return super.execCommand(at === undefined ? client : this.#listing(client, args[at]), name, args)
  }

  /** Returns a client whose command is one transaction with the change of the sorted sets. */
  #listing(client: Client, id: unknown): Client {
    if (!isJobId(id)) throw new Error(`This version of bullmq is not supported: it gives the id ${String(id)}.`)
    const { keys, lists } = this
    const place = [this.toKey(id), keys.completed, keys.failed, lists.open, lists.done, lists.dead, lists.seq, id]
    const runCommand = async (name: string, args: unknown[]) => {
      const results = await client.multi().runCommand(name, args).runCommand('modelrunPlace', place).exec()
      const [[error, result], [placeError, isGone]] = results as [[unknown, unknown], [unknown, unknown]]
      if (error !== null || placeError !== null) throw error ?? placeError
      // In BullMQ the removal of a missing job succeeds.
      return name.startsWith('removeJob') ? isGone : result
    }
    // The scripts of BullMQ use no other method of the client.
    return { runCommand } as unknown as Client
  }
}
