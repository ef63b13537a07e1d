import { describe, expect, it } from 'vitest'
import { UsageError } from '../errors.ts'
import { DEFAULT_TEMPLATE } from '../options.ts'
import { checkTemplate, fillTemplate } from './save-files.ts'

const KNOWN = ['model', 'job_id', 'index']

describe('the names of files', () => {
  it.each([
    ['../../etc/passwd', 'job_1', /^_\.-\.\.-etc-passwd-job_1-0$/],
    ['..', '..', /^_\.-\.\.-0$/],
    ['a/b', 'c:\\d', /^a-b-c-d-0$/],
    ['x\u0000y\u001b[31m', '\u202egnp.exe', /^x-y-31m-[^\u202e]*exe-0$/],
    ['m'.repeat(500), 'j'.repeat(500), /^m{80}-j{80}-0$/],
    ['-rf', 'x', /^_rf-x-0$/],
  ])('stay plain for the model %j and the job %j', (model, job_id, name) => {
    expect(fillTemplate(DEFAULT_TEMPLATE, { model, job_id, index: 0 })).toMatch(name)
  })

  it('keep the extension of the file, whatever the model is called', () => {
    expect(fillTemplate('{model}.{ext}', { model: 'flux.dev', job_id: 'j', index: 0 })).toBe('flux_dev')
    expect(fillTemplate('{index}.png', { model: 'm', job_id: 'j', index: 3 })).toBe('3.png')
  })

  it.each(['../x', 'a/b', 'C:x', '{nope}', '{ext}/x', '{index}{ext}', '.{ext}', '{ext}.{ext}', ''])(
    'are rejected for the template %j',
    (template) => {
      expect(() => checkTemplate(template, KNOWN)).toThrow(UsageError)
    },
  )
})
