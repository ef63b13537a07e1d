import { describe, expect, it } from 'vitest'
import { fileName } from './save-files.ts'

describe('the names of files', () => {
  it.each([
    ['../../etc/passwd', 'job_1', /^_\.-\.\.-etc-passwd-job_1-0$/],
    ['..', '..', /^_\.-\.\.-0$/],
    ['a/b', 'c:\\d', /^a-b-c-d-0$/],
    ['x\u0000y\u001b[31m', '\u202egnp.exe', /^x-y-31m-[^\u202e]*exe-0$/],
    ['m'.repeat(500), 'j'.repeat(500), /^m{80}-j{80}-0$/],
    ['-rf', 'x', /^_rf-x-0$/],
  ])('stay plain for the model %j and the job %j', (model, jobId, name) => {
    expect(fileName(model, jobId, 0)).toMatch(name)
  })
})
