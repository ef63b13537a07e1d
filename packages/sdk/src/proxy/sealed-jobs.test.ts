import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PROXY_SECRET } from '../../test/test-proxy.ts'
import { toJobId } from '../client/http/read-response.ts'
import { createJobSeals } from './sealed-jobs.ts'

const sealsOf = (secret: Parameters<typeof createJobSeals>[0] = PROXY_SECRET) => createJobSeals(secret, '/api/modelrun')
const seals = sealsOf()
const reservation = { id: 'abc', credits: 4, window: 20_455 }

describe('the id of a job', () => {
  test('is read by its user, in every process with the secret', async () => {
    const token = await seals.seal('anna', { jobId: 'job_1', reservation })
    // It fits into a path as it is.
    expect(token).toMatch(/^[\w~-]{1,120}$/)
    await expect(sealsOf().open('anna', token)).resolves.toEqual({ jobId: 'job_1', reservation })
    for (const jobId of ['job_1', 'j'.repeat(3_000), '\u{1f98a}'.repeat(3_000)]) {
      await expect(seals.open('anna', await seals.seal('anna', { jobId }))).resolves.toEqual({ jobId })
    }
  })

  test.each(['j', '"', '\u{1f98a}'])(
    'is one that the client of the page takes, for an id of 500 times %s',
    async (sign) => {
      const ring = sealsOf({ [`k${'2'.repeat(15)}`]: PROXY_SECRET })
      const longest = { id: 'i'.repeat(36), credits: 1.1e-300, window: 2 ** 53 }
      const token = await ring.seal('anna', { jobId: sign.repeat(500), reservation: longest })
      expect([toJobId(token), toJobId('j'.repeat(501))]).toEqual([token, undefined])
    },
  )

  test('is nothing for another user, whatever the names', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.string(), async (user, other, jobId) => {
        const token = await seals.seal(user, { jobId })
        const opened = await seals.open(other, token)
        return user === other ? opened?.jobId === jobId : opened === undefined
      }),
      { numRuns: 50 },
    )
  })

  test('is nothing with another secret or at another proxy, and stays readable while secrets are changed', async () => {
    const other = 'another secret of the test, 32 bytes'
    const old = await sealsOf({ old: PROXY_SECRET }).seal('anna', { jobId: 'job_1' })
    const both = sealsOf({ new: other, old: PROXY_SECRET })
    await expect(both.open('anna', old)).resolves.toEqual({ jobId: 'job_1' })
    // Its service may have the same ids.
    await expect(createJobSeals({ old: PROXY_SECRET }, '/api/videos').open('anna', old)).resolves.toBeUndefined()
    for (const ring of [{ old: other }, { new: other }])
      await expect(sealsOf(ring).open('anna', old)).resolves.toBeUndefined()
  })

  test('cannot be changed in any character', async () => {
    const token = await seals.seal('anna', { jobId: 'job_1', reservation })
    for (const [index, character] of [...token].entries()) {
      // The last character of the signature has two bits that do not count.
      if (index === token.length - 1) continue
      const changed = `${token.slice(0, index)}${character === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`
      await expect(seals.open('anna', changed)).resolves.toBeUndefined()
    }
  })

  const signature = 'A'.repeat(43)
  const wrong = ['', 'job_1', '~~~', `v1~1~WyJqb2JfMSJd~${signature}`, `v1~1~${'A'.repeat(100_000)}~${signature}`]
  test.each([...wrong, `v1~__proto__~WyJqb2JfMSJd~${signature}`])('is not %.60j', async (token) => {
    await expect(seals.open('anna', token)).resolves.toBeUndefined()
  })
})
