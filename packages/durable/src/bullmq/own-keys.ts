import type { Job } from 'bullmq'
import type { NotesKeys } from './task-notes.ts'

/** The keys in Redis that are the engine's own. */
export class OwnKeys {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  of(queue: string): { done: string; dead: string; seq: string; pause: string } {
    const key = (last: string) => `${this.#prefix}-lists:${encodeURIComponent(queue)}:${last}`
    return { done: key('done'), dead: key('dead'), seq: key('seq'), pause: key('pause') }
  }

  /** With the time of the add: a removed job that is added again has notes of its own. */
  notes(queue: string, { id, timestamp }: Job): NotesKeys {
    const name = encodeURIComponent(queue)
    return {
      key: `${this.#prefix}-lists:${name}:task:${timestamp}:${id}`,
      legacyKey: `${this.#prefix}:${name}:${id}`,
    }
  }
}
