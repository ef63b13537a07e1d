// The runtimes, one for each row of the table: the command that runs the program there, and what differs there.
import { join } from 'node:path'

const installed = (...path) => join(import.meta.dirname, 'node_modules', ...path)
const node24 = installed('node-24/bin/node')
const main = 'programs/main.mjs'
const launch = (launcher, ...args) => [node24, `launchers/${launcher}.mjs`, ...args]

const unknownConnectionFailure = {
  submission: { value: 'unknown', why: 'a refused connection looks like one that broke' },
}

const workerd = (date) => ({
  name: `workerd as of ${date}`,
  module: 'workerd',
  command: launch('workerd', date),
  differs: unknownConnectionFailure,
})

/** The client sends each run once: what is more comes from the browser. */
function isRepeated([onNewConnection, onUsedConnection]) {
  const isUnknown = [onNewConnection, onUsedConnection].every(({ submission }) => submission === 'unknown')
  return isUnknown && onNewConnection.postsUntilNow === 1 && onUsedConnection.postsUntilNow > 2
}

const inPage = {
  guard: {
    value: { withKey: 'ConfigurationError', pathAlone: 1 },
    why: 'a key needs `dangerouslyAllowBrowser`; a path alone works',
  },
  ...unknownConnectionFailure,
  broken: { value: isRepeated, why: 'the browser itself sends a POST again when a kept connection breaks' },
}
const receivesNothing = { received: { value: undefined, why: 'gets no webhooks' } }

/** A project is built once. `first` is its file that handles requests before the routes do. */
const next = (major, first) => (name, place, differs) => ({
  name: `Next.js ${major}, ${name}`,
  preparation: launch('build-next', major, first),
  command: launch('next', major, first, place),
  differs,
})
const next15 = next('15', 'middleware')
const next16 = next('16', 'proxy')
const next16Edge = next('16', 'middleware')

const guide = {
  route: 'succeeded',
  action: 200,
  waiting: 1,
  schedule: [401, 200],
  proxy: [401, 1],
  deliveries: [
    ['delivered', 202],
    ['delivered', 202],
  ],
}
const withGuide = { guide: { value: guide, why: 'runs the app of [its guide](nextjs.md) too' } }

export const runtimes = [
  { name: 'Node 22', module: 'node-22', command: [installed('node-22/bin/node'), main] },
  { name: 'Node 24', module: 'node-24', command: [node24, main] },
  { name: 'Bun', module: 'bun', command: [installed('.bin/bun'), main], differs: unknownConnectionFailure },
  {
    name: 'Deno',
    module: 'deno',
    command: [installed('.bin/deno'), 'run', '--no-prompt', '--allow-net', main],
    differs: { image: { value: 'ConfigurationError', why: '`toDataUri` needs `--allow-env`' } },
  },
  workerd('2024-09-23'),
  workerd('2026-07-01'),
  {
    name: 'Edge runtime',
    module: 'edge-runtime',
    command: launch('edge-runtime'),
    differs: unknownConnectionFailure,
  },
  next16('route', 'node', withGuide),
  next16('Edge route', 'edge', unknownConnectionFailure),
  next16('`proxy.js`', 'before-routes'),
  next16Edge('`middleware.js` (Edge)', 'before-routes', unknownConnectionFailure),
  next15('route', 'node', withGuide),
  next15('Edge route', 'edge', unknownConnectionFailure),
  next15('`middleware.js` (Edge)', 'before-routes', unknownConnectionFailure),
  { name: 'Chromium, page', command: launch('chromium', 'page'), differs: { ...inPage, ...receivesNothing } },
  {
    name: 'Chromium, web worker',
    command: launch('chromium', 'web-worker'),
    differs: { ...inPage, ...receivesNothing },
  },
  { name: 'Chromium, service worker', command: launch('chromium', 'service-worker'), differs: inPage },
  { name: 'Electron-like main process, CommonJS', module: 'node-24', command: launch('electron', 'browser') },
  {
    name: 'Electron-like renderer, CommonJS',
    module: 'node-24',
    command: launch('electron', 'renderer'),
    differs: {
      guard: {
        value: { withKey: 'ConfigurationError', pathAlone: 'ConfigurationError' },
        why: 'a key needs `dangerouslyAllowBrowser`',
      },
    },
  },
]
