import type { Command } from 'commander'
import { MODEL_IDS_COMMAND } from './model-ids-command.ts'

/** A command and its flags. */
interface Entry {
  name: string
  description: string
  flags: string[]
  /** Values of its first argument. */
  values: readonly string[]
  /** Whether its first argument is the id of a model. */
  takesModel: boolean
}

/** A script that completes the commands of a program, their options and their fixed arguments. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  const entries = program.commands.filter((command) => command.name() !== MODEL_IDS_COMMAND).map(entryOf)
  if (shell === 'fish') return fishScript(entries)
  return shell === 'zsh' ? zshScript(entries) : bashScript(entries)
}

const MODEL_COMMANDS: readonly string[] = ['run', 'model', 'batch', 'types']

/** Prints ids of models, of which none has a character that a shell reads. Nothing evaluates them all the same. */
const IDS = `command modelrun ${MODEL_IDS_COMMAND} --`

function entryOf(command: Command): Entry {
  const visible = command.options.filter(({ hidden }) => !hidden)
  return {
    name: command.name(),
    description: command.description(),
    flags: [...visible.flatMap(({ long }) => long ?? []), '--help'],
    values: command.registeredArguments[0]?.argChoices ?? [],
    takesModel: MODEL_COMMANDS.includes(command.name()),
  }
}

function wordsOf({ flags, values }: Entry): string {
  return [...values, ...flags].join(' ')
}

function bashScript(entries: readonly Entry[]): string {
  const cases = entries.map((entry) => `    ${entry.name}) words="${wordsOf(entry)}" ;;`)
  const models = entries.filter(({ takesModel }) => takesModel).map(({ name }) => name)
  return `# Completion of modelrun for bash.
_modelrun() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="${entries.map(({ name }) => name).join(' ')} --help --version"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
    esac
  fi
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 2 ] && [[ "$word" != -* ]]; then
    case "\${COMP_WORDS[1]}" in
    ${models.join('|')})
      local id
      # Not by compgen -W, which would expand what is in the ids.
      while IFS= read -r id; do
        [[ "$id" == "$word"* ]] && COMPREPLY+=("$id")
      done < <(${IDS} "\${COMP_WORDS[@]}" 2>/dev/null)
      ;;
    esac
  fi
  if [ "\${#COMPREPLY[@]}" -eq 0 ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); fi
}
complete -o default -F _modelrun modelrun
`
}

function zshScript(entries: readonly Entry[]): string {
  const commands = entries.map(({ name, description }) => `    '${name}:${description.replace(/['":]/g, '')}'`)
  const cases = entries.map((entry) => `    ${entry.name}) compadd -- ${wordsOf(entry)}; _files ;;`)
  const models = entries.filter(({ takesModel }) => takesModel).map(({ name }) => name)
  return `#compdef modelrun
# Completion of modelrun for zsh.
_modelrun() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  if (( CURRENT == 3 )) && [[ "\${words[2]}" == (${models.join('|')}) && "\${words[3]}" != -* ]]; then
    local -a ids
    ids=("\${(@f)$(${IDS} "\${words[@]}" 2>/dev/null)}")
    ids=("\${(@)ids:#}")
    if (( \${#ids} )); then
      compadd -a ids
      return
    fi
  fi
  case "\${words[2]}" in
${cases.join('\n')}
  esac
}
compdef _modelrun modelrun
`
}

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ name, description, flags, values, takesModel }) => {
    const isSeen = `__fish_seen_subcommand_from ${name}`
    const start = `complete -c modelrun -n '${isSeen}'`
    const first = `complete -c modelrun -n '${isSeen}; and test (count (commandline -opc)) -eq 2'`
    return [
      `complete -c modelrun -n __fish_use_subcommand -f -a ${name} -d '${description.replaceAll("'", '')}'`,
      ...(takesModel ? [`${first} -f -a '(${IDS} (commandline -opc) 2>/dev/null)'`] : []),
      ...values.map((value) => `${start} -f -a ${value}`),
      ...flags.map((flag) => `${start} -l ${flag.slice(2)}`),
    ]
  })
  return `# Completion of modelrun for fish.\n${lines.join('\n')}\n`
}
