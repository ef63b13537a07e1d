import { createReferenceServer } from '@modelrun/reference-server'
import { AbortedError, ConnectionError, InputValidationError, JobFailedError, ModelRun, toDataUri } from 'modelrun'
import { createInbox, parseWebhook } from 'modelrun/webhooks'
import { useProvider } from './use-provider.mjs'

const delivery = JSON.stringify({
  job_id: 'job_1',
  status: 'succeeded',
  output: { type: 'image', items: [{ type: 'image', url: 'https://files.example.com/1.png' }] },
  credits_used: 4,
  completed_at: '2026-01-01T00:00:00Z',
})

/**
 * Does what users do first. At `closedUrl` nothing listens. `breakingUrl` breaks the connection of each POST that it
 * got, and gives the number of them as the `total` of its models.
 */
export async function findFacts(closedUrl, breakingUrl) {
  const server = createReferenceServer({ clock: 'auto' })
  const guard = await meetGuard(server)
  // Where a key is rejected, the program continues as one whose user has allowed it.
  const permission = guard.withKey === 'created' ? {} : { dangerouslyAllowBrowser: true }
  const client = new ModelRun(server.clientOptions())
  const creditsBefore = server.credits()
  const video = await client.run('lumen/aurora-video', { prompt: 'waves at dusk' })

  server.script('aurora-image', [{ result: 'failed' }, { result: 'hang' }])
  const failure = await rejection(client.run('aurora-image', { prompt: 'a fox' }))
  const aborting = new AbortController()
  const whenSeen = { signal: aborting.signal, onStatus: () => aborting.abort() }
  const aborted = await rejection(client.run('aurora-image', { prompt: 'a fox' }, whenSeen))
  const typo = await rejection(client.run('aurora-image', { promt: 'a fox' }, { validateInput: true }))

  const nowhere = new ModelRun({ apiKey: server.apiKey, baseUrl: closedUrl, maxRetries: 0, ...permission })
  const rejected = await rejection(nowhere.run('aurora-image', { prompt: 'a fox' }))

  const breaking = new ModelRun({ apiKey: server.apiKey, baseUrl: breakingUrl, ...permission })
  const onNewConnection = await brokenRun(breaking)
  const onUsedConnection = await brokenRun(breaking)

  const handled = []
  const secret = 'a secret of thirty-two bytes, or more'
  const inbox = createInbox({ secret, onSucceeded: ({ job_id }) => handled.push(job_id) })
  const responses = [await deliver(inbox), await deliver(inbox)]

  const gif = new Blob(['GIF89a', new Uint8Array(3)])
  const image = await toDataUri(gif).catch((error) => error.name)
  const noPicture = (await rejection(toDataUri('missing.png'))).name

  const printed = [client, failure, aborted, typo, rejected].map((value) => `${JSON.stringify(value)} ${value}`)
  return {
    agent: globalThis.navigator?.userAgent ?? '',
    rejected: { submission: rejected.submission, reason: rejected.attempts[0]?.reason },
    facts: {
      guard,
      run: video.status,
      failure: failure instanceof JobFailedError && failure.failureCode,
      aborted: aborted instanceof AbortedError && aborted.submission,
      image,
      noPicture,
      typo: typo instanceof InputValidationError && typo.issues.map(({ pointer }) => pointer).sort(),
      rejected: rejected instanceof ConnectionError,
      broken: [onNewConnection, onUsedConnection],
      charged: creditsBefore - server.credits(),
      inbox: { responses, handled },
      provider: await useProvider(),
      webhook: (await parseWebhook(delivery)).status,
      showsKey: printed.some((text) => text.includes(server.apiKey)),
    },
  }
}

/** The outcome for a client with a key, and for one that has a path instead, as a page has it. */
async function meetGuard(server) {
  return { withKey: createWithKey(server), pathAlone: await countModels(new ModelRun({ baseUrl: '/api/modelrun' })) }
}

function createWithKey({ apiKey, baseUrl }) {
  try {
    new ModelRun({ apiKey, baseUrl })
    return 'created'
  } catch ({ name }) {
    return name
  }
}

const countModels = (client) =>
  client.models.list().then(
    ({ total }) => total,
    ({ name }) => name,
  )

async function brokenRun(breaking) {
  const { submission } = await rejection(breaking.run('aurora-image', { prompt: 'a fox' }))
  return { submission, postsUntilNow: (await breaking.models.list()).total }
}

async function deliver(inbox) {
  const url = await inbox.callbackUrl('https://app.example.com/')
  const { status } = await inbox.handle(new Request(url, { method: 'POST', body: delivery }))
  await inbox.waitFor('job_1')
  return status
}

async function rejection(promise) {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('This should have failed.')
}
