// Finds the words that the project does not use, in names, comments, texts and documents, and says which word to use
// instead: `npm run lint:words`. The list is explained in docs/glossary.md.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Forms of a word, and the words to use instead. */
const WORDS = [
  ['answer answers answered answering unanswered', 'response, respond'],
  ['looker lookers', 'poller'],
  ['agenda agendas', 'schedule, timer queue'],
  ['refusal refusals refuse refuses refused refusing', 'rejection, reject'],
  ['tell tells telling told untold', 'notify, report, say, distinguish'],
  ['salvage salvages salvaged', 'recover'],
  ['errand errands', 'delivery, pending delivery'],
  ['strike strikes struck', 'apply, inject (a fault)'],
  ['enact enacts enacted spoil spoils spoiled spoilt', 'apply (a fault), corrupt'],
  ['chronicle chronicles happening happenings', 'event log, clock event'],
  ['bury buries buried', 'make dead'],
  ['mint mints minted minting', 'create (a key), sign (a token)'],
  ['wish wishes wished', 'filter, query'],
  ['mailroom mailbox mailboxes', 'webhook endpoints, endpoint'],
  ['manner manners', 'behavior'],
  ['stranger strangers', 'unverified sender'],
  ['orphan orphans orphaned', 'unconfirmed'],
  ['fate fates sights', 'scenario, outcome; observed'],
  ['begin begins began begun beginning beginnings', 'start, started'],
  ['usual unusual', 'expected, normal, default'],
  ['nobody somebody whoever', 'the noun: no caller, the client'],
  ['believe believes believed vouch vouches vouched', 'trust, verify'],
  ['reckon reckons reckoned', 'compute, count'],
  ['fellow fellows', 'other'],
  ['anew', 'again; update'],
  ['odd oddity honest dishonest', 'invalid, special; confirmed'],
  ['hurt hurts', 'inject a fault'],
]

/** Words that have a plain meaning too, by the phrases in which they have not. */
const PHRASES = [
  [/\b(looks?|looked|looking) at\b|\b(a|one|first|each|no|its|their|most) looks?\b/gi, 'poll, check, read'],
  [/\b(goes|go|went|gone|going) on\b/gi, 'continue'],
  [/\b(stands?|stood|standing) still\b/gi, 'be paused, stop'],
  [/\b(comes?|came|becomes?|became) of (it|what|a|an|the|that|each|them|one)\b/gi, 'outcome, result'],
  [/\bwhat (comes?|came|becomes?|became) of\b/gi, 'outcome, result'],
]

/** Where the phrases stay: measured results. */
const PHRASES_STAY = /^lab\/bench\/results\//

/** What is written once and stays, generated, or quotes the specification or this list. */
const EXEMPT =
  /(^|\/)(CHANGELOG|LICENSE|THIRD-PARTY)|^\.changeset\/|package-lock\.json$|^scripts\/plain-words\.mjs$|^docs\/(glossary|guides\/specification)\.md$/

const READ = /\.(ts|tsx|mts|mjs|cjs|js|json|md|txt|yml|yaml|html|py|sh|d\.ts)$/

/** Lines that may have a word: a refused TCP connection, a transaction of SQL, the user `nobody` of Unix. */
const ALLOWED = [
  // A method of `@modelcontextprotocol/server`.
  [/^mint/, /states\.mint\(/],
  [/^refus/, /connection|ECONNREFUSED|\bsocket|\bTCP\b|\bports?\b|['"`]refused['"`]|\brefused: [{']/i],
  [/^refus/, /ERR_PROXY_TUNNEL/],
  [/^begin/, /\bBEGIN\b|sql\.begin|sql\.begin|sql\\.begin|beginTransaction/],
  [/^nobody/, /\buser\b|\buid\b|'nobody'/],
]

const useInstead = new Map(WORDS.flatMap(([forms, use]) => forms.split(' ').map((form) => [form, use])))

/** The words of a text that the project does not use: `camelCase`, `snake_case` and `kebab-case` are several words. */
export function wordsIn(line) {
  const words = line.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').match(/\p{L}+/gu) ?? []
  const found = words.map((word) => word.toLowerCase()).filter((word) => useInstead.has(word))
  const isAllowed = (word) => ALLOWED.some(([which, where]) => which.test(word) && where.test(line))
  return [...new Set(found)].filter((word) => !isAllowed(word)).map((word) => ({ word, use: useInstead.get(word) }))
}

/** The phrases of a line that the project does not use. */
export function phrasesIn(line) {
  return PHRASES.flatMap(([phrase, use]) => (line.match(phrase) ?? []).map((word) => ({ word, use })))
}

/** Every word of a file and of its path, as `file:line: word: use …`. */
function problemsOf(file) {
  const ofPath = wordsIn(file).map(({ word, use }) => `${file}: ${word}: use ${use}`)
  const lines = readFileSync(file, 'utf8').split('\n')
  const foundIn = (line) => [...wordsIn(line), ...(PHRASES_STAY.test(file) ? [] : phrasesIn(line))]
  const ofLines = lines.flatMap((line, index) =>
    foundIn(line).map(({ word, use }) => `${file}:${index + 1}: ${word}: use ${use}`),
  )
  return [...ofPath, ...ofLines]
}

function main() {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  const files = execFileSync('git', ['ls-files', '-d'], { encoding: 'utf8' }).split('\n')
  const read = tracked.filter((file) => READ.test(file) && !EXEMPT.test(file) && !files.includes(file))
  const problems = read.flatMap(problemsOf)
  if (problems.length > 0) console.error(problems.join('\n'))
  process.exitCode = problems.length > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
