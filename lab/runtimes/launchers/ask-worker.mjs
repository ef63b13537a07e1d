import { deliverResults } from '../programs/deliver-results.mjs'

/** Finds the facts of a program of requests, `worker.mjs`. `send` is a `fetch` that reaches it at `base`. */
export async function askWorker(send, base, urls) {
  async function ask(task, url = []) {
    const response = await send(`${base}/${task}?${new URLSearchParams([url].flat().map((value) => ['url', value]))}`)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${task}: ${response.status} ${text}`)
    return text
  }
  const { facts, ...found } = JSON.parse(await ask('facts', urls))
  const received = await deliverResults({
    callbackUrl: () => ask('callback-url', `${base}/webhooks`),
    post: send,
    handled: async () => JSON.parse(await ask('handled')),
  })
  return { ...found, facts: { ...facts, received } }
}
