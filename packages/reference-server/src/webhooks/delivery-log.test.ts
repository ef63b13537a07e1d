import { describe, expect, it } from 'vitest'
import { Account } from '../domain/account.ts'
import type { DeliveryRecord } from '../domain/delivery.ts'
import { DeliveryLog } from './delivery-log.ts'

function record(job_id: string): DeliveryRecord {
  const times = { attemptedAt: 0, finishedAt: 1 }
  return { job_id, url: 'https://a.test', ...times, outcome: 'delivered', body: { job_id, status: 'cancelled' } }
}

describe('delivery log', () => {
  it('gives each delivery out once, those to come too', async () => {
    const log = new DeliveryLog()
    const account = new Account(1)
    log.add(account, record('1'))
    expect((await log.next()).job_id).toBe('1')
    const [second, third] = [log.next(), log.next()]
    log.add(account, record('2'))
    log.add(account, record('3'))
    expect([(await second).job_id, (await third).job_id]).toEqual(['2', '3'])
  })

  it('forgets an account, or all, also what was not given out yet', async () => {
    const log = new DeliveryLog()
    const [mine, other] = [new Account(1), new Account(1)]
    log.add(mine, record('1'))
    log.add(other, record('2'))
    log.forget(mine)
    expect(log.of(mine)).toEqual([])
    expect((await log.next()).job_id).toBe('2')
    log.add(mine, record('3'))
    log.forget()
    expect([log.of(mine), log.of(other)]).toEqual([[], []])
    const next = log.next()
    log.add(mine, record('4'))
    expect((await next).job_id).toBe('4')
  })

  it('rejects pending waits when it is closed', async () => {
    const log = new DeliveryLog()
    const next = log.next()
    log.close()
    await expect(next).rejects.toThrow('was closed')
    await expect(log.next()).rejects.toThrow('was closed')
  })
})
