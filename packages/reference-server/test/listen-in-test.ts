import { type ListeningServer, listen } from '@modelrun/reference-server/node'
import { onTestFinished } from 'vitest'

/** Listens with a server until its test is over. */
export async function listenInTest(...given: Parameters<typeof listen>): Promise<ListeningServer> {
  const listening = await listen(...given)
  onTestFinished(() => listening.close())
  return listening
}
