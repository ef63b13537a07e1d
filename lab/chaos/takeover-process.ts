/** A process whose handlers never end: it reports to its parent that it works, and each start. Its settings come as JSON in the first argument. */
import { openEngine } from '../../packages/integration-tests/src/durable/open-engine.ts'
import type { TakeoverMessage, TakeoverSettings } from './measure-takeover.ts'

function main({ engineAt, queue, lockMs }: TakeoverSettings): void {
  const report = (message: TakeoverMessage) => process.send?.(message)
  process.once('disconnect', () => process.exit())
  openEngine(engineAt).work(
    queue,
    () => {
      report('started')
      return new Promise(() => {})
    },
    { lockMs },
  )
  report('ready')
}

// Only `measureTakeover` starts this program.
main(JSON.parse(process.argv[2] ?? '') as TakeoverSettings)
