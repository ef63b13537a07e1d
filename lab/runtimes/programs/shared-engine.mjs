/** Between two polls for tasks. */
const POLL_INTERVAL_MS = 5

/**
 * An engine of an inbox that several requests of a worker share: only data outlives a request, and each has workers of its own.
 * In memory, for this check alone: instances of a worker share nothing, so a real one has Postgres.
 */
export function createSharedEngine() {
  const tasks = new Map()
  let places = 0
  const find = (queue, id) => tasks.get(`${queue} ${id}`)
  return {
    setup: async () => {},
    add: async (queue, id, { data, delayMs = 0 }) => {
      if (find(queue, id)) return
      const cursor = String(++places)
      const addedAt = Date.now()
      tasks.set(`${queue} ${id}`, { queue, id, data, state: 'waiting', addedAt, dueAt: addedAt + delayMs, cursor })
    },
    update: async (queue, id, data) => {
      const task = find(queue, id)
      if (task) Object.assign(task, { data, dueAt: Date.now() })
      return task !== undefined
    },
    work: (queue, handler) => {
      const worker = { isStopped: false }
      const due = () =>
        [...tasks.values()].find((task) => task.queue === queue && task.state === 'waiting' && task.dueAt <= Date.now())
      const running = workUntilStopped(worker, due, handler)
      const stop = async () => {
        worker.isStopped = true
        await running
      }
      return { stop }
    },
    get: async (queue, id) => find(queue, id),
    list: async (queue, state) => [...tasks.values()].filter((task) => task.queue === queue && task.state === state),
    replay: async () => false,
    remove: async (queue, id) => tasks.delete(`${queue} ${id}`),
  }
}

async function workUntilStopped(worker, due, handler) {
  while (!worker.isStopped) {
    const task = due()
    if (task) await runTask(task, handler)
    else await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
}

/** Nothing here outlives its process, so nothing is marked. */
const markStarted = async () => true

async function runTask(task, handler) {
  task.state = 'running'
  const { signal } = new AbortController()
  try {
    task.result = await handler({ ...task, attempt: 1, lost: 0, fence: 1, signal, msLeft: () => 30_000, markStarted })
    Object.assign(task, { state: 'done', endedAt: Date.now() })
  } catch ({ message, delayMs }) {
    if (delayMs === undefined) Object.assign(task, { state: 'dead', error: { code: 'error', message } })
    else Object.assign(task, { state: 'waiting', dueAt: Date.now() + delayMs })
  }
}
