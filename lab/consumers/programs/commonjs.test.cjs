// `job.js` is what TypeScript made of `job.ts` with `module: commonjs`.
const assert = require('node:assert/strict')
const { test } = require('node:test')
const { doTheJob, expected } = require('./job.js')

test('CommonJS does the job', async () => {
  assert.deepEqual(await doTheJob(), expected)
})
