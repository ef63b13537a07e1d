import { ModelRun } from 'modelrun'

/** In a worker of a page: a client with a key is rejected, and one with a path works. */
async function report(): Promise<string> {
  const { models } = await new ModelRun({ baseUrl: '/api/modelrun' }).models.list()
  try {
    new ModelRun({ apiKey: 'sk_test_0123456789', baseUrl: 'https://api.example.com' })
    return 'created'
  } catch (error) {
    return `${models.length} models; ${error}`
  }
}

report().then(postMessage, (error) => postMessage(String(error)))
