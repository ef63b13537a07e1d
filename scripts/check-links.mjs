// Finds dead links, anchors included, in the Markdown of the repository and of each package as npm packs it.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { publicPackages } from './public-packages.mjs'

const tracked = execFileSync('git', ['ls-files', '*.md', 'llms.txt'], { encoding: 'utf8' }).trim().split('\n')
const dead = tracked.filter((path) => existsSync(path)).flatMap((path) => deadLinks('.', path))
for (const { folder, manifest } of publicPackages()) dead.push(...deadLinksOfPackage(folder, manifest.name))

for (const line of dead) console.error(line)
console.log(`${dead.length} dead links.`)
process.exitCode = dead.length > 0 ? 1 : 0

function deadLinksOfPackage(folder, name) {
  const scratch = mkdtempSync(join(tmpdir(), 'modelrun-links-'))
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: folder })
    execFileSync('tar', ['-xzf', ...globSync('*.tgz', { cwd: scratch })], { cwd: scratch })
    const root = join(scratch, 'package')
    const documents = globSync(['**/*.md', 'llms.txt'], { cwd: root })
    return documents.flatMap((path) => deadLinks(root, path)).map((line) => `${name}: ${line}`)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** Links and images of a document that lead to no file below `root`, or to no heading. */
function deadLinks(root, path) {
  const links = withoutCode(readFileSync(join(root, path), 'utf8')).matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)/g)
  const hrefs = [...links].map(([, href]) => href).filter((href) => !/^[a-z][a-z+.-]*:/i.test(href))
  return hrefs.filter((href) => !leadsSomewhere(root, path, decodeURI(href))).map((href) => `${path}: ${href}`)
}

function leadsSomewhere(root, path, href) {
  const [file, anchor] = href.split('#')
  const target = file === '' ? join(root, path) : join(root, dirname(path), file)
  if (!resolve(target).startsWith(resolve(root)) || !existsSync(target)) return false
  return anchor === undefined || (statSync(target).isFile() && anchorsOf(target).has(anchor))
}

/** The anchors that code hosts make of headings. */
function anchorsOf(path) {
  const seen = new Map()
  const headings = withoutFences(readFileSync(path, 'utf8')).matchAll(/^#{1,6} +(.+?) *#*$/gm)
  return new Set([...headings].map(([, heading]) => unused(slug(heading), seen)))
}

function slug(heading) {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return text.replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '').replaceAll(' ', '-')
}

/** The second heading of a name is `name-1`. */
function unused(name, seen) {
  const count = seen.get(name) ?? 0
  seen.set(name, count + 1)
  return count === 0 ? name : `${name}-${count}`
}

function withoutFences(text) {
  return text.replace(/^ *(```+|~~~+).*?^ *\1/gms, '')
}

function withoutCode(text) {
  return withoutFences(text).replace(/(`+)(?!`).+?\1/g, '')
}
