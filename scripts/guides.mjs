import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SPECIFICATION = 'docs/guides/specification.md'
const SERVER_ONLY = ['docs/guides/assumptions.md', 'docs/guides/control-api.md', ...pagesOf('reference-server')]
/** Also of the provider, which can work on a batch. */
const DURABLE = [
  ...pagesOf('durable'),
  ...['workflow-engines', 'serverless', 'reliability'].map((name) => `docs/guides/${name}.md`),
  ...pagesOf('webhooks'),
]

const COMMAND_LINE = [
  'docs/guides/command-line.md',
  'docs/guides/agents.md',
  'docs/guides/typed-models.md',
  'docs/guides/images.md',
  'docs/guides/errors.md',
]

/** The guides that concern a package, as paths from the root. The client has all but those of the server. */
export function guidesOf(packageName) {
  if (packageName === '@modelrun/contract') return [SPECIFICATION]
  if (packageName === '@modelrun/conformance') return [SPECIFICATION, 'docs/guides/assumptions.md']
  if (packageName === '@modelrun/reference-server')
    return [SPECIFICATION, ...SERVER_ONLY, 'docs/guides/jest-and-commonjs.md']
  if (packageName === '@modelrun/dashboard') return ['docs/guides/control-api.md', ...pagesOf('reference-server')]
  if (packageName === '@modelrun/durable' || packageName === '@modelrun/ai-sdk-provider') return DURABLE
  if (packageName === '@modelrun/cli') return COMMAND_LINE
  return globSync('docs/guides/*')
    .toSorted()
    .filter((path) => !SERVER_ONLY.includes(path))
}

/** A topic that has several pages. */
function pagesOf(topic) {
  return globSync(`docs/guides/${topic}*.md`, { cwd: fileURLToPath(new URL('../', import.meta.url)) }).toSorted()
}

/** The list of guides for tools that read packages: titles and first sentences. `hrefOf` gives the link to a guide. */
export function llmsText(guides, hrefOf) {
  const lines = guides
    .filter((path) => path.endsWith('.md'))
    .map((path) => {
      const [title, ...paragraphs] = readFileSync(path, 'utf8').split(/\n{2,}/)
      const prose = paragraphs.find((paragraph) => /^[A-Z`[*]/.test(paragraph)) ?? ''
      const sentence = withoutLinks(prose.replaceAll('\n', ' ')).split(/(?<=[.:])\s/, 1)[0]
      return `- [${title.replace(/^# /, '')}](${hrefOf(path)}): ${sentence.replace(/:$/, '.')}`
    })
  const { description } = JSON.parse(readFileSync('packages/sdk/package.json', 'utf8'))
  return `# modelrun\n\n> ${description}\n\nRules for code that calls it: [AGENTS.md](AGENTS.md).\n\n## Guides\n\n${lines.join('\n')}\n`
}

function withoutLinks(text) {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
