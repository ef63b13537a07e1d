/** An image, made larger, and brought to life: the output of each run is the input of the next. */
import { JobFailedError, ModelRun, type RunResult } from 'modelrun'

const client = new ModelRun() // MODELRUN_API_KEY and MODELRUN_BASE_URL
const [prompt = 'a red fox in snow', folder = 'output'] = process.argv.slice(2)

function urlOf({ output }: RunResult): string {
  const [item] = output.items
  if (!item) throw new Error('The run made no file.')
  return item.url
}

try {
  const drawing = await client.run('aurora-image', { prompt, image_size: 'square' }, { maxCredits: 10 })
  const larger = await client.run('pixelwright/upscale', { image_url: urlOf(drawing), scale: 2 }, { maxCredits: 10 })
  const input = { prompt: 'it wakes up', image_url: urlOf(larger) }
  const video = await client.run('kinora/reel-pro', input, {
    maxCredits: 200,
    deadlineMs: 30 * 60_000,
    onStatus: ({ status }) => console.log(`video: ${status}`),
  })
  // Files of a service do not stay forever: save what you want to keep.
  console.log(...(await client.files.save(drawing, folder)), ...(await client.files.save(video, folder)))
} catch (error) {
  // What succeeded before is paid. A failed job is not.
  if (!(error instanceof JobFailedError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
