import type { InboxEngine, Task, TaskRecord, TaskState } from '../../src/engine/engine.ts'

/** The engine under test. */
export interface CheckContext<Engine extends InboxEngine = InboxEngine> {
  /** A queue of its own. */
  readonly queue: string
  /** An engine that is set up. */
  readonly engine: Engine
  /** Opens another engine on the same store, as another process would; closed after the check. */
  open(): Promise<Engine>
}

/** The promises of an engine, by the sentence of each. A check rejects when the engine breaks its promise. */
export type Checks<Engine extends InboxEngine = InboxEngine> = Readonly<
  Record<string, (context: CheckContext<Engine>) => Promise<void>>
>

/** One promise of an engine, as a test. */
export interface EngineCheck {
  /** The promise, as a sentence. */
  readonly name: string
  run(): Promise<void>
}

/**
 * Returns a test for each promise. A check does not remove its tasks.
 *
 * @param open opens an engine. All opened engines share one store, like the engines of several processes
 */
export function testsOf<Engine extends InboxEngine>(
  checks: Checks<Engine>,
  open: () => Engine | Promise<Engine>,
): readonly EngineCheck[] {
  return Object.entries(checks).map(([name, check]) => ({ name, run: () => runCheck(open, check) }))
}

async function runCheck<Engine extends InboxEngine & { close?(): Promise<void> }>(
  open: () => Engine | Promise<Engine>,
  check: (context: CheckContext<Engine>) => Promise<void>,
) {
  const opened: Engine[] = []
  const openOne = async () => {
    const engine = await open()
    opened.push(engine)
    return engine
  }
  try {
    const engine = await openOne()
    await engine.setup()
    await check({ engine, open: openOne, queue: `check-${crypto.randomUUID()}` })
  } finally {
    await Promise.all(opened.map((engine) => engine.close?.()))
  }
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

/** Waits until a task is in a state. The test runner ends what takes too long. */
export async function untilState(
  { engine, queue }: Pick<CheckContext, 'engine' | 'queue'>,
  id: string,
  state: TaskState,
): Promise<TaskRecord> {
  for (;;) {
    const record = await engine.get(queue, id)
    if (record?.state === state) return record
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

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(5)
}
