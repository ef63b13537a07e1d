/** What loads when it is first used is not part of the first load. */
const laterParts = {
  name: 'later-parts',
  setup: (build) =>
    build.onResolve({ filter: /./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : null)),
}
const firstLoad = {
  modifyEsbuildConfig: (config) => ({ ...config, plugins: [...(config.plugins ?? []), laterParts] }),
}
const sdk = { path: 'packages/sdk/dist/index.js', gzip: true }
const proxy = { path: 'packages/sdk/dist/proxy/index.js', gzip: true }
// Beside the client, which is in files that it shares with other entries.
const react = {
  path: 'packages/sdk/dist/react/index.js',
  gzip: true,
  ignore: ['react'],
  modifyEsbuildConfig: ({ external = [], ...config }) => ({ ...config, external: [...external, '../chunk-*'] }),
}
const webhooks = { path: 'packages/sdk/dist/webhooks/index.js', gzip: true }
const contract = { path: 'packages/contract/dist/index.js', gzip: true }
// Not bundled again: what users install is what counts, loaded on first use or not.
const cli = { gzip: true, disablePlugins: ['@size-limit/esbuild'] }

// What it adds to a program that has the client.
const provider = { path: 'packages/ai-sdk-provider/dist/index.js', gzip: true, ignore: ['modelrun', 'modelrun/models'] }

export default [
  { ...sdk, ...firstLoad, name: 'modelrun: the client, first load', import: '{ ModelRun }', limit: '40.5 kB' },
  { ...sdk, name: 'modelrun: the base class of errors', import: '{ ModelRunError }', limit: '1.15 kB' },
  { ...proxy, name: 'modelrun/proxy: the proxy', import: '{ createProxy }', limit: '21.8 kB' },
  { ...react, name: 'modelrun/react: the hook, beside the client', limit: '2.6 kB' },
  { ...sdk, name: 'modelrun: toDataUri, with what it loads on first use', import: '{ toDataUri }', limit: '27 kB' },
  { ...webhooks, name: 'modelrun/webhooks: the inbox', import: '{ createInbox }', limit: '24 kB' },
  { ...webhooks, name: 'modelrun/webhooks: reading a delivery', import: '{ parseWebhook }', limit: '3.3 kB' },
  { ...provider, name: '@modelrun/ai-sdk-provider: beside the client', limit: '8.2 kB' },
  { ...contract, name: '@modelrun/contract: every schema', limit: '10 kB' },
  { ...contract, name: '@modelrun/contract: the routes alone', import: '{ ROUTES, routePath }', limit: '1 kB' },
  {
    ...cli,
    name: '@modelrun/cli: the code that commands share',
    path: 'packages/cli/dist/command/{main,chunk-*}.js',
    limit: '62 kB',
  },
  { ...cli, name: '@modelrun/cli: all commands', path: 'packages/cli/dist/command/*.js', limit: '91 kB' },
]
