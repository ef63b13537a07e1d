import { AbortedError, NotFoundError } from 'modelrun'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSetting, type Setting } from './setting.ts'

describe('the client in a page, unchanged', () => {
  let setting: Setting
  beforeEach(() => {
    setting = openSetting({ budget: { credits: 1_000 } })
  })
  afterEach(() => setting.close())

  const used = async () => (await setting.proxy.balance({ user: 'anna' })).used
  const spent = () => 10_000 - setting.server.credits()

  it('gets a video that takes longer than the hold of 55 s, by 202 and polls (section 4.3)', async () => {
    const statuses: string[] = []
    const onStatus = ({ status }: { status: string }) => statuses.push(status)
    const result = await setting
      .pageOf('anna')
      .run('lumen/aurora-video', { prompt: 'waves' }, { mode: 'sync', onStatus })
    expect(result.output.items).toHaveLength(1)
    expect(statuses.at(-1)).toBe('succeeded')
    expect(await used()).toBe(spent())
  })

  it('gets the results of many runs, and what they cost is what the budget says', async () => {
    const inputs = Array.from({ length: 10 }, (_, index) => ({ prompt: `fox ${index}` }))
    setting.server.script('aurora-image', [{ result: 'failed' }, { result: 'failed' }])
    const outcomes: string[] = []
    for await (const run of setting.pageOf('anna').runMany('aurora-image', inputs)) outcomes.push(run.status)
    expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(8)
    expect(await used()).toBe(spent())
    expect(spent()).toBe(8 * 4)
  })

  it('waits for a job in another tab of the same user, and nowhere else', async () => {
    const job = await setting.pageOf('anna').submit('aurora-image', { prompt: 'x' })
    const saved = JSON.stringify(job)
    await expect(setting.pageOf('anna').jobs.attach(saved).result()).resolves.toMatchObject({ status: 'succeeded' })
    await expect(setting.pageOf('ben').jobs.attach(saved).result()).rejects.toThrow(NotFoundError)
  })

  it('cancels its job when it leaves, and gets the credits back', async () => {
    const controller = new AbortController()
    const onStatus = () => controller.abort()
    const options = { signal: controller.signal, onStatus, onAbort: 'cancel' } as const
    const run = setting.pageOf('anna').run('lumen/aurora-video', { prompt: 'x' }, options)
    const error = await run.catch((reason: unknown) => reason)
    if (!(error instanceof AbortedError)) throw error
    await expect(error.cancellation).resolves.toBe(true)
    expect([await used(), spent()]).toEqual([0, 0])
  })
})
