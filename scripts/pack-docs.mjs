// `prepack` and `postpack` of a package. Before packing: copies the guides into its `docs`, and makes the links of its
// README.md lead there. After packing (`--restore`): the README is as it was. What is copied is not committed.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { guidesOf, llmsText } from './guides.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = relative(root, process.cwd())
process.chdir(root)
const { name, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
// Where people read the repository; known in a release, which writes it into the package (release-check.mjs).
const web = repository?.url.replace(/^git\+|\.git$/g, '')
const PICTURE = /!\[([^\]]*)\]\(\.\.\/\.\.\/docs\/images\/([^)]+)\)/g

const guides = guidesOf(name)
if (process.argv.includes('--restore')) restoreReadme()
else {
  rmSync(join(folder, 'docs'), { recursive: true, force: true })
  mkdirSync(join(folder, 'docs'))
  for (const guide of guides) copy(guide, `docs/${basename(guide)}`)
  if (name === 'modelrun') {
    copy('AGENTS.md', 'AGENTS.md')
    writeFileSync(join(folder, 'llms.txt'), llmsText(guides, placeOf))
  }
  linkReadme()
}

/** Where a file of the repository is in the package; undefined when it is not in it. */
function placeOf(path) {
  if (guides.includes(path)) return `docs/${basename(path)}`
  if (name === 'modelrun' && ['AGENTS.md', 'llms.txt'].includes(path)) return path
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined
}

function copy(path, target) {
  if (!path.endsWith('.md')) return cpSync(path, join(folder, target))
  writeFileSync(join(folder, target), rewriteLinks(readFileSync(path, 'utf8'), path, target))
}

/** Links to what the package does not have lead to the repository, or become plain text while its url is unknown. */
function rewriteLinks(text, path, target) {
  return text.replace(/(?<!!)\[([^\]]*)\]\((?![a-z]+:|#)([^)]*)\)/g, (_, label, link) => {
    const [href, ...anchor] = link.split(/(?=#)/)
    const wanted = posix.join(dirname(path), href)
    const place = placeOf(wanted)
    if (place === undefined && !web) return label
    const start = place === undefined ? `${web}/blob/HEAD/${wanted}` : posix.relative(dirname(target), place)
    return `[${label}](${start}${anchor.join('')})`
  })
}

/**
 * npm resolves a relative link within the repository, where `docs` of the package is not: a release has whole URLs. Images
 * are not in the package: without the url of the repository there is a comment in their place.
 */
function linkReadme() {
  const start = web ? `${web}/blob/HEAD/docs/guides/` : 'docs/'
  const image = web ? `![$1](${web}/raw/HEAD/docs/images/$2)` : '<!-- $1: docs/images/$2 -->'
  editReadme((text) => text.replaceAll('](../../docs/guides/', `](${start}`).replaceAll(PICTURE, image))
}

function restoreReadme() {
  const packed = web ? `](${web}/blob/HEAD/docs/guides/` : '](docs/'
  const shown = (text) =>
    web
      ? text.replaceAll(`](${web}/raw/HEAD/docs/images/`, '](../../docs/images/')
      : text.replaceAll(/<!-- (.+?): docs\/images\/(\S+) -->/g, '![$1](../../docs/images/$2)')
  editReadme((text) => shown(text.replaceAll(packed, '](../../docs/guides/')))
}

function editReadme(edit) {
  const path = join(folder, 'README.md')
  writeFileSync(path, edit(readFileSync(path, 'utf8')))
}
