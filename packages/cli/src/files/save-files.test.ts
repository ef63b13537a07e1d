import { readdirSync } from 'node:fs'
import { ModelRun } from 'modelrun'
import { expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { fileName, saveOutputs } from './save-files.ts'

it.each([
  ['image', '<svg/>', 1],
  ['image', ' <!DOCTYPE html>expired', 0],
  ['audio', '{"error":"rate limited"}', 0],
  ['video', '', 0],
  ['json', '{"a":1}', 1],
])('of an item of type %j, the bytes %j make %i files', async (type, text, count) => {
  const folder = folderForTest()
  const client = new ModelRun({ apiKey: 'sk_test_x', baseUrl: 'http://127.0.0.1:1' })
  const output = { type, items: [{ type, url: `data:image/png,${encodeURIComponent(text)}` }] }
  const { files, error } = await saveOutputs(client, { job_id: 'job_1', output }, { folder, prefix: 'm' })
  expect([files.length, readdirSync(folder).length, error === undefined]).toEqual([count, count, count === 1])
})

it.each([
  ['../../etc/passwd', 'job_1', /^_\.-\.\.-etc-passwd-job_1-0$/],
  ['..', '..', /^_\.-\.\.-0$/],
  ['a/b', 'c:\\d', /^a-b-c-d-0$/],
  ['x\u0000y\u001b[31m', '\u202egnp.exe', /^x-y-31m-[^\u202e]*exe-0$/],
  ['m'.repeat(500), 'j'.repeat(500), /^m{80}-j{80}-0$/],
  ['-rf', 'x', /^_rf-x-0$/],
])('the names of files stay plain for the model %j and the job %j', (model, jobId, name) => {
  expect(fileName(model, jobId, 0)).toMatch(name)
})
