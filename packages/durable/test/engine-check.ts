import type { Engine, Task, TaskRecord, TaskState } from '../src/engine/engine.ts'

/** The engine under test. */
export interface CheckContext {
  /** A queue of its own. */
  readonly queue: string
  /** An engine that is set up. */
  readonly engine: Engine
  /** Opens another engine on the same store, as another process would; closed after the check. */
  open(): Promise<Engine>
}

/** One promise of an engine, as a test. */
export interface EngineCheck {
  /** The promise, as a sentence. */
  readonly name: string
  /** Rejects when the engine breaks it. */
  run(): Promise<void>
}

/** Compares two values as JSON. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (is !== wanted) throw new Error(`${what}: expected ${wanted}, got ${is}`)
}

export function expectTrue(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what)
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Waits until a task is in a state. */
export async function untilState(
  { engine, queue }: Pick<CheckContext, 'engine' | 'queue'>,
  id: string,
  state: TaskState,
): Promise<TaskRecord> {
  const giveUpAt = Date.now() + 10_000
  for (;;) {
    const record = await engine.get(queue, id)
    if (record?.state === state) return record
    if (Date.now() > giveUpAt) throw new Error(`task ${id} is ${record?.state ?? 'unknown'}, not ${state}, after 10 s`)
    await sleep(5)
  }
}

/** Creates a handler that runs until `release`. */
export function heldHandler(): { handler(task: Task): Promise<undefined>; started: Task[]; release(): void } {
  const started: Task[] = []
  let release = () => {}
  const released = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined)
  })
  return {
    started,
    release: () => release(),
    handler: (task) => {
      started.push(task)
      return released
    },
  }
}

export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = Date.now() + 10_000
  while (!(await isTrue())) {
    if (Date.now() > giveUpAt) throw new Error(`not within 10 s: ${what}`)
    await sleep(5)
  }
}
