import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { folderForFile } from '../../kit/test/temp-folder.ts'
import { Ledger, stateFolder } from './ledger.ts'

const folder = folderForFile()
let ledger: Ledger
const say = vi.fn()

beforeEach(() => {
  ledger = new Ledger({ env: { MODELRUN_STATE_DIR: join(folder, randomUUID()) }, terminal: { say } })
})

const intent = (run: string) => ledger.append({ type: 'intent', run, model: 'm', base_url: 'http://x', credits: 4 })

describe('the ledger', () => {
  it('keeps a run from its intent to its end, for its user alone', () => {
    intent('a')
    expect(ledger.read()).toMatchObject([{ run: 'a', status: 'intent' }])
    ledger.append({ type: 'job', run: 'a', job_id: 'job_1' })
    expect(ledger.findJob('job_1')).toMatchObject({ status: 'running', model: 'm', credits: 4 })
    ledger.noteEnd('job_1', 'processing')
    expect(ledger.findJob('job_1')).toMatchObject({ status: 'running' })
    ledger.noteEnd('job_1', 'succeeded')
    ledger.noteEnd('job_2', 'failed')
    expect(ledger.read()).toMatchObject([{ status: 'succeeded' }])
    expect(statSync(ledger.path).mode & 0o777).toBe(0o600)
  })

  it('survives a line that was cut when a process was killed', () => {
    intent('a')
    appendFileSync(ledger.path, '\n{"v":1,"type":"inte')
    intent('b')
    expect(ledger.read().map(({ run }) => run)).toEqual(['a', 'b'])
    expect(readFileSync(ledger.path, 'utf8')).toMatch(/"inte\n\{[^\n]*"run":"b"[^\n]*$/)
  })

  it('ends a run that is not sent yet when it cannot be written, and none that was', () => {
    ledger = new Ledger({ env: { MODELRUN_STATE_DIR: '/dev/null/x' }, terminal: { say } })
    expect(() => intent('a')).toThrow('Nothing was sent. Set MODELRUN_STATE_DIR')
    ledger.append({ type: 'job', run: 'a', job_id: 'job_1' })
    ledger.append({ type: 'end', run: 'a', status: 'succeeded' })
    expect(say.mock.calls).toEqual(Array(2).fill([expect.stringMatching(/^The ledger of runs cannot be written: E/)]))
  })

  it('is in the state folder of the user', () => {
    expect(stateFolder({ XDG_STATE_HOME: '/x' })).toBe('/x/modelrun')
    expect(stateFolder({ MODELRUN_STATE_DIR: '/y', XDG_STATE_HOME: '/x' })).toBe('/y')
    expect(stateFolder({})).toMatch(/\/\.local\/state\/modelrun$/)
  })
})
