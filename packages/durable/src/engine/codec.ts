import { type Json, stringIn, type TaskHandler, type TaskRecord } from '@modelrun/kit'
import { RetryAfterError } from 'modelrun/webhooks'
import type { Engine } from './engine.ts'

/**
 * Changes the texts that an engine stores, mostly to encrypt them. Each process of a store needs the same, and it must be able to
 * decode what was ever encoded.
 */
export interface Codec {
  /** Returns what is stored in place of a JSON text. It may differ each time. */
  encode(text: string): string | Promise<string>
  /** Returns the JSON text. Throws when it cannot. */
  decode(stored: string): string | Promise<string>
}

/** The member that marks encoded data. Data without it was stored before there was a codec. */
const ENCODED = 'modelrun:encoded'

/** Wait of a task that cannot be decoded, in milliseconds: the key of this process may be wrong, and another process has it. */
const UNREADABLE_MS = 30_000

/** Returns the engine with all data and results encoded in its store. Queues, ids and errors stay as they are. */
export function withCodec(engine: Engine, codec: Codec, onError: (error: unknown) => void): Engine {
  const encode = async (value: Json): Promise<Json> => ({ [ENCODED]: await codec.encode(JSON.stringify(value)) })
  const decode = async (value: Json): Promise<Json> => {
    const text = stringIn(value, ENCODED)
    return text === undefined ? value : JSON.parse(await codec.decode(text))
  }
  const decodeRecord = async (record: TaskRecord): Promise<TaskRecord> => ({
    ...record,
    data: await decode(record.data),
    result: record.result === undefined ? undefined : await decode(record.result),
  })
  const decodingHandler =
    (handler: TaskHandler): TaskHandler =>
    async (task) => {
      const data = await decode(task.data).catch((error) => {
        onError(error)
        throw new RetryAfterError(UNREADABLE_MS)
      })
      const result = await handler({ ...task, data })
      return result === undefined ? undefined : await encode(result)
    }
  return {
    ...engine,
    guardedBy: (guard) => withCodec(engine.guardedBy(guard), codec, onError),
    // The engine rejects what is not JSON.
    add: async (queue, id, { data, ...options }) =>
      engine.add(queue, id, { ...options, data: data === undefined ? data : await encode(data) }),
    update: async (queue, id, data) => engine.update(queue, id, data === undefined ? data : await encode(data)),
    work: (queue, handler, { onProcessDied, ...options } = {}) =>
      engine.work(queue, decodingHandler(handler), {
        ...options,
        onProcessDied: (task) => {
          if (onProcessDied === undefined) return
          decode(task.data)
            .then((data) => onProcessDied({ ...task, data }))
            .catch(onError)
        },
      }),
    once: (queue, handler, options) => engine.once(queue, decodingHandler(handler), options),
    getAll: async (tasks) =>
      await Promise.all((await engine.getAll(tasks)).map((record) => record && decodeRecord(record))),
    async get(queue, id) {
      const record = await engine.get(queue, id)
      return record === undefined ? undefined : await decodeRecord(record)
    },
    list: async (...args) => await Promise.all((await engine.list(...args)).map(decodeRecord)),
  }
}
