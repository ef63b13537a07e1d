// A process that works a queue, started and killed by a test. `poison` ends it; `slow` takes longer than the lock.
import { openEngine } from './open-engine.ts'

const { engineAt, name, taskMs } = JSON.parse(process.argv[2] ?? '{}')
const engine = openEngine(engineAt)
engine.work(
  'tasks',
  async ({ id, signal, fence }) => {
    console.log(`start ${id} ${fence}`)
    if (id === 'poison') process.kill(process.pid, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, taskMs))
    console.log(`end ${id} ${fence} ${signal.aborted}`)
    return name
  },
  { concurrency: 50, lockMs: 600 },
)
console.log('ready')
