/** A process that receives bodies, and responds to each message with the bytes of memory that it keeps. */
import { createServer } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { ModelRun } from 'modelrun'
import { createProxy } from 'modelrun/proxy'
import { createInbox } from 'modelrun/webhooks'
import { listenOn } from '../../../kit/test/listen-on.ts'

/** Its timers never fire: no limit of time ends a body, however slow the machine is. */
const clock = { now: () => Date.now(), setTimeout: () => undefined, clearTimeout: () => {} }

const listeners = {
  inbox: () => createInbox({ client: new ModelRun({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9' }), clock }).node(),
  proxy: () =>
    createProxy({
      client: new ModelRun({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9' }),
      models: ['aurora-image'],
      secret: 'a secret of the test, 32 bytes long',
      authorize: () => ({ user: 'anna' }),
      clock,
    }).node(),
}

// Only the two names are passed.
const server = createServer(listeners[process.argv[2] as keyof typeof listeners]())
const { port } = await listenOn(server)

process.on('message', async () => {
  // The memory of buffers is freed beside the program, after the collection that found them.
  for (let count = 0; count < 3; count++) {
    globalThis.gc?.()
    await setImmediate()
  }
  const { heapUsed, external } = process.memoryUsage()
  process.send?.(heapUsed + external)
})
process.once('disconnect', () => process.exit())
process.send?.(port)
