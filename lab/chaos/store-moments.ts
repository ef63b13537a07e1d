import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from '../../packages/kit/test/listen-on.ts'

/**
 * What happens at one request to a store:
 *
 * - `before`, `within`, `after`: its connection breaks before the store has it, once it has it, or once it has responded
 * - `silent`: its connection stays open, and carries no response any more
 * - `dies`: the process has no connection from then on
 */
export const MOMENTS = ['before', 'within', 'after', 'silent', 'dies'] as const
export type Moment = (typeof MOMENTS)[number]

/** A TCP proxy in front of a store. */
export interface StoreMoments {
  port: number
  /** Called at each request. */
  onRequest: () => Promise<Moment | undefined> | Moment | undefined
  close(): Promise<void>
}

export async function openStoreMoments(storePort: number): Promise<StoreMoments> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const store = connect(storePort, '127.0.0.1')
    let met: Moment | undefined
    let turn = Promise.resolve()
    const end = () => {
      client.destroy()
      store.destroy()
    }
    for (const socket of [client, store]) {
      sockets.add(socket.on('error', end))
      socket.on('close', () => met !== 'silent' && end())
    }
    client.on('data', (bytes) => {
      turn = turn.then(async () => {
        met ??= await moments.onRequest()
        if (met === 'before' || met === 'dies') end()
        else store.write(bytes, () => met === 'within' && end())
      })
    })
    store.on('data', (bytes) => {
      if (met === 'after') end()
      else if (met !== 'silent') client.write(bytes)
    })
  })
  const { port, close } = await listenOn(server)
  const moments: StoreMoments = {
    port,
    onRequest: () => undefined,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await close()
    },
  }
  return moments
}
