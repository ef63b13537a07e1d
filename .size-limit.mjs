/** What a page loads at first: code behind a dynamic import (input validation) comes when it is needed. */
function atFirst(config) {
  const leaveOut = {
    name: 'leave-out-dynamic-imports',
    setup: ({ onResolve }) =>
      onResolve({ filter: /./ }, ({ kind, path }) =>
        kind === 'dynamic-import' ? { path, external: true } : undefined,
      ),
  }
  return { ...config, plugins: [leaveOut] }
}

const common = { gzip: true, modifyEsbuildConfig: atFirst }
const sdk = { ...common, path: 'packages/sdk/dist/index.js' }
const contract = { ...common, path: 'packages/contract/dist/index.js' }

export default [
  { ...sdk, name: 'modelrun: the client', import: '{ ModelRun }', limit: '20 kB' },
  { ...sdk, name: 'modelrun: an error guard', import: '{ isModelRunError }', limit: '2 kB' },
  { ...contract, name: '@modelrun/contract: every schema', limit: '10 kB' },
  { ...contract, name: '@modelrun/contract: the routes alone', import: '{ ROUTES, routePath }', limit: '1 kB' },
]
