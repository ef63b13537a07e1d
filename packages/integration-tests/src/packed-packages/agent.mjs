/** An agent that runs models of the packed command line: aborted, killed and started again. Prints what it sees and was charged. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'

const server = createReferenceServer({ clock: 'system', latency: 500 })
const before = server.credits()
const { url, close } = await listen(server)
const env = { ...process.env, MODELRUN_API_KEY: server.apiKey, MODELRUN_BASE_URL: url }
const [mode] = process.argv.slice(2)

async function start() {
  const host = { command: 'node_modules/.bin/modelrun', args: ['mcp', '--out', `out-${mode}`], env }
  const transport = new StdioClientTransport(host)
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: mode } })
  await client.connect(transport)
  const call = async (name, args, options) => {
    const { content } = await client.callTool({ name, arguments: args }, options)
    return JSON.parse(content[0].text)
  }
  const draw = (prompt, more, options) =>
    call('run_model', { model: 'aurora-image', input: { prompt }, ...more }, options)
  const closed = new Promise((resolve) => {
    client.onclose = resolve
  })
  return { client, transport, call, draw, closed }
}
const first = await start()
console.log((await first.client.listTools()).tools.length, 'tools')
console.log((await first.draw('fox')).state, (await first.draw('fox')).state)
await first.draw('aborted', {}, { signal: AbortSignal.timeout(100) }).catch(() => console.log('aborted'))
console.log((await first.draw('aborted')).state)
server.script('aurora-image', [{ result: 'succeeded', after_ms: 3_000 }])
let run = await first.draw('killed', { wait_s: 0 })
while (!run.job_id) run = await first.call('get_job', { key: run.key, wait_s: 0.1 })
console.log(run.state)
process.kill(first.transport.pid, 'SIGKILL')
await first.closed
const second = await start()
for (const prompt of ['killed', 'aborted', 'fox']) console.log((await second.draw(prompt)).state)
await second.client.close()
await close()
console.log(before - server.credits(), 'credits')
