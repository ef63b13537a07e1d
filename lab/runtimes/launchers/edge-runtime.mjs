// Vercel's Edge runtime as a package. Its `process` is that of Next.js there: the use of a Node API throws.
import { EdgeRuntime } from 'edge-runtime'
import { askWorker } from './ask-worker.mjs'
import { bundle } from './bundle.mjs'

const initialCode = await bundle('fetch-events.mjs', { conditions: ['edge-light', 'worker', 'browser'] })

const process_ = {
  env: {},
  get getBuiltinModule() {
    throw new Error('A Node.js API is used (process.getBuiltinModule) which is not supported in the Edge Runtime.')
  },
}
const runtime = new EdgeRuntime({ initialCode, extend: (context) => Object.assign(context, { process: process_ }) })
const found = await askWorker(runtime.dispatchFetch, 'https://edge.example.com/worker', process.argv.slice(2))
// The inboxes of its requests wait for tasks for as long as the process runs.
process.stdout.write(JSON.stringify(found), () => process.exit())
