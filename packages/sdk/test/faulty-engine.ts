import type { InboxEngine, TaskRecord } from '@modelrun/kit'

type Method = Exclude<keyof InboxEngine, 'work'>

/**
 * How a call fails. `before`: nothing happens. `after`: it happens, and its response is lost. `hang`: nothing happens, and
 * there is no response. `late`: nothing happens until the test calls `respondLate`.
 */
type FaultKind = 'before' | 'after' | 'hang' | 'late'

/** An engine whose calls fail when a test says so. Tasks in progress continue. */
export interface FaultyEngine extends InboxEngine {
  /** How many calls of each method there were. */
  readonly calls: Partial<Record<Method, number>>
  /** Makes the next calls of a method fail. */
  fail(method: Method, kind: FaultKind, times?: number): void
  /** Makes every call fail until `repair`. */
  breakDown(kind: FaultKind): void
  repair(): void
  /** Makes the late calls, and gives their responses. */
  respondLate(): void
  /** A task of an inbox of the expected name. */
  task(queue: string, id: string): Promise<TaskRecord | undefined>
}

export function createFaultyEngine(engine: InboxEngine): FaultyEngine {
  const calls: Partial<Record<Method, number>> = {}
  const faults = new Map<Method, FaultKind[]>()
  const late: (() => void)[] = []
  let down: FaultKind | undefined

  async function call<T>(method: Method, work: () => Promise<T>): Promise<T> {
    calls[method] = (calls[method] ?? 0) + 1
    const fault = down ?? faults.get(method)?.shift()
    if (fault === 'before') throw new Error(`${method} failed before it happened`)
    if (fault === 'hang') return await new Promise(() => {})
    if (fault === 'late') await new Promise<void>((resolve) => late.push(resolve))
    const result = await work()
    if (fault === 'after') throw new Error(`the response of ${method} was lost`)
    return result
  }

  return {
    calls,
    fail: (method, kind, times = 1) => {
      faults.set(method, [...(faults.get(method) ?? []), ...Array.from({ length: times }, () => kind)])
    },
    breakDown: (kind) => {
      down = kind
    },
    repair: () => {
      down = undefined
      faults.clear()
    },
    respondLate: () => {
      for (const respond of late.splice(0)) respond()
    },
    task: (queue, id) => engine.get(`inbox:${queue}`, id),
    work: (...given) => engine.work(...given),
    setup: () => call('setup', () => engine.setup()),
    add: (...given) => call('add', () => engine.add(...given)),
    update: (...given) => call('update', () => engine.update(...given)),
    get: (...given) => call('get', () => engine.get(...given)),
    list: (...given) => call('list', () => engine.list(...given)),
    replay: (...given) => call('replay', () => engine.replay(...given)),
    remove: (...given) => call('remove', () => engine.remove(...given)),
  }
}
