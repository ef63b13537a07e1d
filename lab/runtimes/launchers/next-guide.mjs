/** Uses the app of the guide as its pages, its users and its schedule would; gives the facts to compare. */
export async function useGuide(server, url) {
  const post = (path, prompt) => fetch(url + path, { method: 'POST', body: JSON.stringify({ prompt }) })
  const startedByRoute = await (await post('/api/generate', 'a fox')).json()
  const facts = {
    route: await followJob(url, startedByRoute.jobId),
    action: await submitForm(url),
    waiting: (await (await post('/api/generate-now', 'an owl')).json()).length,
    schedule: [await callSchedule(url, 'Bearer undefined'), await callSchedule(url, 'Bearer of the schedule')],
    proxy: [await countModels(url, ''), await countModels(url, 'session=anna')],
  }
  // Of the route and of the action: a run that waits has no webhook.
  const deliveries = [await server.webhooks.next(), await server.webhooks.next()]
  return { ...facts, deliveries: deliveries.map(({ outcome, status }) => [outcome, status]) }
}

/** As a page does it. */
async function followJob(url, id) {
  for (let tries = 0; tries < 200; tries++) {
    const { status, items } = await (await fetch(`${url}/api/jobs/${id}`)).json()
    if (items.length > 0) return status
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return 'endless'
}

/** A browser without scripts sends the form of a server action like this. */
async function submitForm(url) {
  const [, action] = /name="(\$ACTION_ID_\w+)"/.exec(await (await fetch(url)).text()) ?? []
  const form = new FormData()
  form.set(action, '')
  form.set('prompt', 'a hare')
  return (await fetch(url, { method: 'POST', body: form })).status
}

async function callSchedule(url, authorization) {
  return (await fetch(`${url}/api/cron`, { headers: { authorization } })).status
}

async function countModels(url, cookie) {
  const response = await fetch(`${url}/api/modelrun/v1/models`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  })
  return response.ok ? (await response.json()).total : response.status
}
