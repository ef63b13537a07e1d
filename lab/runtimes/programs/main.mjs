import { createInbox } from 'modelrun/webhooks'
import { deliverResults } from './deliver-results.mjs'
import { findFacts } from './find-facts.mjs'
import { serveInbox } from './serve-inbox.mjs'

async function receive() {
  const handled = []
  const onSucceeded = ({ job_id }) => handled.push(job_id)
  const inbox = createInbox({ secret: 'a secret of thirty-two bytes, or more', onSucceeded })
  const { url, close } = await serveInbox(inbox)
  const callbackUrl = () => inbox.callbackUrl(url)
  const received = await deliverResults({ callbackUrl, post: fetch, handled: async () => handled })
  await inbox.drain()
  await close()
  return received
}

// A function, because CommonJS has no `await` outside of one.
async function main() {
  const found = await findFacts(...process.argv.slice(2))
  console.log(JSON.stringify({ ...found, facts: { ...found.facts, received: await receive() } }))
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
