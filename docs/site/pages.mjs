// Which documents of the repository are pages, in the order of the sidebar, and where their links lead on the site.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, posix, resolve } from 'node:path'

/** Where the paths of documents start. The build bundles this file: its own address says nothing then. */
export const root = `${resolve('../..')}/`

const guides = (...names) => names.map((name) => `docs/guides/${name}.md`)

/** Each folder of examples is a page. */
function examples() {
  return globSync('examples/*/README.md', { cwd: root }).sort()
}

/** Each group has a label in the sidebar, and documents as paths from the root. */
export const groups = {
  Start: ['README.md', ...guides('moving', 'paying-twice', 'waiting', 'errors', 'reliability', 'images')],
  Client: guides('typed-models', 'networks', 'observability', 'runtimes', 'jest-and-commonjs'),
  Webhooks: guides('webhooks', 'webhooks-frameworks', 'webhooks-once', 'webhooks-operations'),
  'Pages and frameworks': [...guides('browsers', 'react', 'nextjs'), 'packages/ai-sdk-provider/README.md'],
  'Runs that outlive a process': [
    ...guides('durable', 'workflow-engines', 'serverless'),
    ...guides('durable-engines', 'durable-operations', 'durable-sizing'),
    'packages/durable/README.md',
  ],
  'Test double': [
    ...guides('reference-server', 'reference-server-control', 'reference-server-profile'),
    ...guides('reference-server-program', 'control-api', 'docker-compose'),
    'packages/reference-server/README.md',
    'packages/dashboard/README.md',
    'packages/conformance/README.md',
  ],
  'Command line': [...guides('command-line', 'agents'), 'packages/cli/README.md'],
  'The service': [
    ...guides('specification', 'assumptions', 'what-the-service-does-not-have'),
    'packages/contract/README.md',
  ],
  Examples: ['examples/README.md', ...examples()],
  Project: [
    'packages/sdk/README.md',
    'lab/bench/README.md',
    'docs/support.md',
    'docs/glossary.md',
    'docs/architecture.md',
    'SECURITY.md',
  ],
}

const documents = Object.values(groups).flat()

/** @throws Error when a guide is in no group: readers would not find it */
export function allDocuments() {
  const lost = globSync('docs/guides/*.md', { cwd: root }).filter((path) => !documents.includes(path))
  if (lost.length > 0) throw new Error(`pages.mjs has no group for ${lost.join(', ')}.`)
  return documents
}

/** `docs/guides/errors.md` is the page `guides/errors`, and a README the page of its folder. */
export function pageOf(path) {
  if (path === 'README.md') return 'index'
  return path
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/\/README$/, '')
    .toLowerCase()
}

/** The title of a document, its first sentence, and the rest, with links of the site. */
export function partsOf(path) {
  const text = readFileSync(root + path, 'utf8')
  const [, title = '', body = ''] = /^# ([^\n]+)\n(.*)$/s.exec(text) ?? []
  if (title === '') throw new Error(`${path} has no title in its first line.`)
  return { title: title.replaceAll('`', ''), body: withLinksOfSite(body, path) }
}

const LINK = /(?<mark>!?)\[(?<label>(?:[^[\]]|!?\[[^\]]*\](?:\([^)]*\))?)*)\]\((?![a-z]+:|#)(?<link>[^)]*)\)/g

function withLinksOfSite(text, path) {
  return text.replace(LINK, (...match) => {
    const { mark, label, link } = match.at(-1)
    const [href, anchor = ''] = link.split(/(?=#)/)
    const place = placeOf(posix.join(dirname(path), href))
    return place === undefined ? label : `${mark}[${label}](${place}${anchor})`
  })
}

/** Where a file of the repository is on the site; undefined when it is not there, and its link becomes plain text. */
function placeOf(wanted) {
  const path = wanted.replace(/\/$/, '')
  if (path.startsWith('docs/images/')) return `/${path.slice('docs/'.length)}`
  if (path === 'llms.txt') return '/llms.txt'
  if (path === 'docs/site') return '/playground/'
  const isFolder = existsSync(root + path) && statSync(root + path).isDirectory()
  const document = isFolder ? posix.join(path, 'README.md') : path
  if (!documents.includes(document)) return undefined
  return document === 'README.md' ? '/' : `/${pageOf(document)}/`
}
