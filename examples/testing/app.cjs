// The app that the tests test: one page, and one route that draws.
const { createServer } = require('node:http')
const { ModelRunError } = require('modelrun')

const PAGE = `<!doctype html><html lang="en"><title>Images</title><link rel="icon" href="data:,">
<button>Draw</button><p role="status">Ready</p><img alt="">
<script>
  document.querySelector('button').onclick = async () => {
    const { url, message } = await (await fetch('/draw', { method: 'POST' })).json()
    if (url) document.querySelector('img').src = url
    document.querySelector('p').textContent = message ?? 'Done'
  }
</script></html>`

/** The url of an image, or why there is none, for a person. */
async function draw(client) {
  try {
    const { output } = await client.run('aurora-image', { prompt: 'a red fox' })
    return { url: output.items[0].url }
  } catch (error) {
    if (!(error instanceof ModelRunError)) throw error
    if (error.submission === 'unknown') return { message: 'The image may have been paid. Do not draw it again.' }
    return { message: 'No image, and nothing was paid.' }
  }
}

function createApp(client) {
  return createServer(async ({ method }, response) => {
    const isPage = method === 'GET'
    response.setHeader('content-type', isPage ? 'text/html' : 'application/json')
    response.end(isPage ? PAGE : JSON.stringify(await draw(client)))
  })
}

module.exports = { createApp, draw }
