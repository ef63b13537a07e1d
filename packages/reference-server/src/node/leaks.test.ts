import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COMPLETED, json, KEY, OTHER_KEY, RUN, run, setUpRecorder } from '../../test/recorder.ts'

it('a recorder stores and prints nothing of what was sent or produced, whatever place it is in, in a file of this user alone', async () => {
  const PRIVATE = 'Jane Doe, born 1980-02-03'
  const base64 = Buffer.from(`x:${KEY}`).toString('base64')
  const secrets = {
    note: PRIVATE,
    session: 'SESSION1',
    basic: base64,
    n: 19_800_203,
    thumb: '//f.test/a?X-Amz-Signature=SIGNED2',
    s3: 's3://u:PASSWORD3@bucket/a?token=TOKEN4',
    [KEY]: 1,
    [PRIVATE]: { deep: [[PRIVATE]] },
  }
  const item = { ...secrets, type: PRIVATE, url: 'https://f.test/a.png?sig=SIGNED5' }
  const job = { ...COMPLETED, ...secrets, request_id: PRIVATE, message: PRIVATE }
  const error = { ...secrets, code: PRIVATE, message: PRIVATE }
  const model = {
    ...{ id: 'lumen/aurora', name: 'Aurora', description: `See https://f.test/?sig=SIGNED6 ${KEY}`, category: 'a' },
    ...{ provider: 'Lumen', status: 'active', pricing: { credits_per_run: 7, ...secrets }, ...secrets },
    input_schema: { type: 'object', properties: { api_key: { type: 'string', default: KEY } } },
  }
  const { url, folder, lines, stored } = await setUpRecorder((outgoing, { method, url: path = '' }) => {
    if (path.endsWith('/run?fail')) return json(outgoing, 200, { ...job, job_id: KEY, status: 'failed', error })
    if (method === 'POST') return json(outgoing, 200, { ...job, output: { ...item, items: [item, item] } })
    if (path === '/v1/models') return json(outgoing, 200, { ...secrets, models: [model] })
    if (path.startsWith('/v1/models/')) return json(outgoing, 200, model)
    if (path === '/v1/jobs/job_1') return json(outgoing, 200, { data: { ...job, status: 'succeeded', error } })
    return json(outgoing, 404, { ...secrets, error })
  })
  await run(url, { input: { prompt: PRIVATE } })
  await (await fetch(`${url}${RUN}?fail`, { method: 'POST', headers: { 'x-api-key': OTHER_KEY }, body: '{}' })).text()
  for (const path of [
    'models',
    'models/lumen%2Faurora',
    'jobs/job_1',
    `jobs/${encodeURIComponent(PRIVATE)}?key=${KEY}`,
  ]) {
    await (await fetch(`${url}/v1/${path}`, { headers: { authorization: `Bearer ${OTHER_KEY}` } })).text()
  }
  await (await fetch(`${url}/${PRIVATE}`, { method: 'DELETE' })).text()
  expect(await readdir(folder)).toEqual(['exchanges.jsonl'])
  expect((await stat(join(folder, 'exchanges.jsonl'))).mode & 0o077).toBe(0)
  const all = `${await stored()}\n${lines.join('\n')}`
  expect(all).toContain('"model":"lumen/aurora"')
  expect(all.split('\n').filter((line) => line.startsWith('{"at"'))).toHaveLength(6)
  for (const secret of [KEY, KEY.slice(8), OTHER_KEY, base64, PRIVATE, 'Jane', '1980', '19800203', 'SESSION1']) {
    expect(all).not.toContain(secret)
  }
  expect(all).not.toMatch(/SIGNED\d|PASSWORD3|TOKEN4|f\.test\/a/)
})
