import { setTimeout as sleep } from 'node:timers/promises'
import { ModelRun } from 'modelrun'

/** Where a program runs. */
export interface Place {
  url: string
  apiKey: string
  models: { main: string; failing: string }
}

const INPUT = { prompt: 'a lighthouse', num_images: 1 }

/** A client program that does right and wrong. @returns a line for every response, in order */
export async function program({ url, apiKey, models }: Place): Promise<string[]> {
  const seen: string[] = []
  const options = {
    baseUrl: url,
    apiKey,
    maxRetries: 0,
    fetch: async (input: string, init?: RequestInit) => {
      const response = await fetch(input, init)
      const text = await response.clone().text()
      const json = text === '' ? undefined : JSON.parse(text)
      seen.push(
        `${init?.method} ${input.replace(url, '').replace(/jobs\/.*/, 'jobs/')} ${init?.body ?? ''} ${response.status} ${shown(json)}`,
      )
      return response
    },
  }
  const client = new ModelRun(options)
  const post = (model: string, body: object) =>
    options.fetch(`${url}/v1/models/${encodeURIComponent(model)}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ sync: false, ...body }),
    })
  const ignored = () => undefined

  await client.models.list()
  await client.models.list({ category: 'no-such-category' }).catch(ignored)
  await client.models.get(models.main)
  await client.models.get(models.failing)
  await client.models.get('no-such-model').catch(ignored)
  await client.run(models.main, INPUT)
  await client.run(models.failing, INPUT).catch(ignored)
  const job = await client.submit(models.main, INPUT)
  for (const pauseMs of [0, 500, 750, 750]) {
    await sleep(pauseMs)
    await job.get()
  }
  await job.cancel().catch(ignored)
  const stopped = await client.submit(models.main, INPUT)
  await stopped.cancel()
  await stopped.get()
  await stopped.cancel().catch(ignored)
  await client.jobs.get('no-such-job').catch(ignored)
  await client.submit('no-such-model', INPUT).catch(ignored)
  await post(models.main, { input: {} })
  await post(models.main, { input: { ...INPUT, num_images: 5 } })
  await post(models.main, { input: { ...INPUT, colour: 'red' } })
  await post(models.main, { input: INPUT, priority: 1 })
  await post(models.main, {})
  await client
    .withOptions({ ...options, apiKey: 'sk_test_wrong' })
    .models.list()
    .catch(ignored)
  return seen
}

/** What a client sees of a body, without ids, times, texts and urls, which differ between services. */
function shown(json: unknown): string {
  const { data, error, output, models, total, credits_used, status } = Object(json)
  return JSON.stringify({
    members: namesIn(json),
    data: namesIn(data),
    code: error?.code ?? data?.error?.code,
    state: status ?? data?.status,
    output: shapeOf(output ?? data?.output),
    list: [total, models?.map((model: object) => JSON.stringify(model))],
    credits_used,
  })
}

function namesIn(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value).toSorted() : []
}

/** An output with how its urls start. */
function shapeOf(output: unknown): unknown {
  return output && JSON.parse(JSON.stringify(output, (name, value) => (name === 'url' ? 'a url' : value)))
}
