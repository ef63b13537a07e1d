import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const LENGTH = 200_000

/** Another one for each number. */
const image = (number: number) => `data:image/png;base64,${`${number}AAA`.slice(0, 4)}${'A'.repeat(LENGTH)}`

async function runPictures(retention: { inputBytes?: number }, count: number) {
  const server = createReferenceServer({ clock: 'manual', retention })
  const { run } = apiCaller(server)
  const ids: string[] = []
  for (let number = 0; number < count; number++) {
    const { body } = await run('pixelwright/upscale', { sync: false, input: { image_url: image(number) } })
    ids.push(String(body.job_id))
  }
  await server.clock.advance(200_000)
  return { server, ids }
}

describe('the inputs of runs', () => {
  it('are stored up to a number of bytes, those of the newest runs in full', async () => {
    const { server, ids } = await runPictures({ inputBytes: 3.5 * LENGTH }, 10)
    const whole = ids.filter((id, number) => server.job(id).input.image_url === image(number))
    expect(whole).toEqual(ids.slice(-3))
    expect(JSON.stringify(server.snapshot()).length).toBeLessThan(4 * LENGTH)
  })

  it('take no more than 16 MiB, whatever the number of jobs', async () => {
    const { server } = await runPictures({}, 110)
    const length = JSON.stringify(server.snapshot()).length
    expect(length).toBeGreaterThan(15 * 1024 * 1024)
    expect(length).toBeLessThan(17 * 1024 * 1024)
  })

  it('make the same files when they are cut', async () => {
    const [few, all] = await Promise.all([runPictures({ inputBytes: 0 }, 2), runPictures({}, 2)])
    for (const id of all.ids) {
      const path = `/files/${id}/0.png`
      const [one, other] = await Promise.all([apiCaller(few.server).get(path), apiCaller(all.server).get(path)])
      expect([one.status, one.text === other.text]).toEqual([200, true])
    }
  })

  it('are cut in a server that was restored as they were in the first one', async () => {
    const { server, ids } = await runPictures({ inputBytes: 1.5 * LENGTH }, 3)
    const other = createReferenceServer({ clock: 'manual' })
    other.restore(server.snapshot())
    expect(ids.map((id) => other.job(id).input)).toEqual(ids.map((id) => server.job(id).input))
  })
})
