import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { listenInTest } from '../../test/listen-in-test.ts'
import { createReferenceServer } from '../reference-server.ts'
import { startRecorder } from './recorder.ts'
import { loadRecording } from './recording-file.ts'

/** What a client program sees: models, prices, forms of outputs, failures. */
async function program(url: string, apiKey: string): Promise<unknown[]> {
  const seen: unknown[] = []
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/v1/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, body: await response.json() }
  }
  const show = ({ status, body }: Awaited<ReturnType<typeof call>>) => {
    const { output, credits_used, error, models, data = {}, status: state = data.status, input_schema } = body
    const { type, items } = output ?? data.output ?? {}
    const kinds = items?.map((item: object) => [Object.keys(item), Object(item).type])
    seen.push({ status, state, type, kinds, credits_used, code: error?.code ?? data.error?.code, models, input_schema })
  }
  show(await call('GET', 'models'))
  show(await call('GET', 'models/aurora-image'))
  for (const num_images of [1, 2]) {
    show(await call('POST', 'models/aurora-image/run', { input: { prompt: 'a fox', num_images } }))
  }
  const failing = await call('POST', 'models/aurora-image/run', { input: { prompt: 'a fox' }, sync: false })
  show(failing)
  let job = failing
  do job = await call('GET', `jobs/${failing.body.job_id}`)
  while (!['succeeded', 'failed'].includes(job.body.data.status))
  show(job)
  show(await call('GET', 'jobs/unknown'))
  return seen
}

it('a replay gives a client the models, prices, outputs, failures and times that were recorded', async () => {
  const service = createReferenceServer({ clock: { scale: 20 } })
  service.script('aurora-image', [{ result: 'succeeded' }, { result: 'succeeded' }, { result: 'failed' }])
  const folder = folderForTest()
  const options = { service: new URL((await listenInTest(service)).url), folder, host: '127.0.0.1', port: 0 }
  const recorder = await startRecorder({ ...options, log: () => {}, warn: () => {} })
  const recorded = await program(recorder.url, service.apiKey)
  await recorder.close()
  const { catalog } = await loadRecording(folder)
  const replay = createReferenceServer({ catalog })
  expect(await program((await listenInTest(replay)).url, replay.apiKey)).toEqual(recorded)
  expect(recorded).toHaveLength(7)
  const { latency_ms = 0, outcomes = [] } = catalog.find(({ id }) => id === 'aurora-image') ?? {}
  expect(outcomes.map(({ result }) => result)).toEqual(['succeeded', 'succeeded', 'failed'])
  expect(outcomes.every(({ after_ms = 0 }) => after_ms > 0) && latency_ms > 0).toBe(true)
})

const HEAD = '{"format":"modelrun-recording","version":2,"service":"https://api.test/"}'

it.each([
  ['no head', '{}', 'line 1: /format must be "modelrun-recording"'],
  ['another version', HEAD.replace('2', '3'), 'line 1: /version must be 2'],
  ['no JSON', `${HEAD}\n{"at":1,`, 'line 2: It is not JSON. Remove the line, or record again.'],
  ['a wrong route', `${HEAD}\n{"at":1,"ms":1,"route":"x","status":200}`, 'line 2: /route must be "listModels"'],
  ['a string for a time', `${HEAD}\n{"at":1,"ms":"1","route":"getJob","status":200}`, '/ms must be a number'],
  [
    'an unknown member',
    `${HEAD}\n{"at":1,"ms":1,"route":"getJob","status":200,"a":1}`,
    'members that do not exist: "a"',
  ],
])('a file with %s is an error that names the line', async (_, text, reason) => {
  const folder = folderForTest()
  await writeFile(join(folder, 'exchanges.jsonl'), `${text}\n`)
  await expect(loadRecording(folder)).rejects.toThrow(reason)
})

it('a folder without a recording is an error that says how to make one', async () => {
  const folder = folderForTest()
  const reason = `${folder} is not a recording: it has no exchanges.jsonl. modelrun-server --record makes one.`
  await expect(loadRecording(folder)).rejects.toThrow(reason)
  await writeFile(join(folder, 'file'), '')
  const options = { service: new URL('https://api.test'), host: '127.0.0.1', port: 0, log: () => {}, warn: () => {} }
  await expect(startRecorder({ ...options, folder: join(folder, 'file') })).rejects.toThrow('it is not a folder')
})
