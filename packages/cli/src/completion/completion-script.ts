import type { Command } from 'commander'

/** A command and its flags. */
interface Entry {
  name: string
  description: string
  flags: string[]
  /** Values of its first argument. */
  values: readonly string[]
}

/** A script that completes the commands of a program, their options and their fixed arguments. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  const entries = program.commands.map(entryOf)
  if (shell === 'fish') return fishScript(entries)
  return shell === 'zsh' ? zshScript(entries) : bashScript(entries)
}

function entryOf(command: Command): Entry {
  const visible = command.options.filter(({ hidden }) => !hidden)
  return {
    name: command.name(),
    description: command.description(),
    flags: [...visible.flatMap(({ long }) => long ?? []), '--help'],
    values: command.registeredArguments[0]?.argChoices ?? [],
  }
}

function wordsOf({ flags, values }: Entry): string {
  return [...values, ...flags].join(' ')
}

function bashScript(entries: readonly Entry[]): string {
  const cases = entries.map((entry) => `    ${entry.name}) words="${wordsOf(entry)}" ;;`)
  return `# Completion of modelrun for bash.
_modelrun() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="${entries.map(({ name }) => name).join(' ')} --help --version"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _modelrun modelrun
`
}

function zshScript(entries: readonly Entry[]): string {
  const commands = entries.map(({ name, description }) => `    '${name}:${description.replace(/['":]/g, '')}'`)
  const cases = entries.map((entry) => `    ${entry.name}) compadd -- ${wordsOf(entry)}; _files ;;`)
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
  case "\${words[2]}" in
${cases.join('\n')}
  esac
}
compdef _modelrun modelrun
`
}

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ name, description, flags, values }) => {
    const start = `complete -c modelrun -n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c modelrun -n __fish_use_subcommand -f -a ${name} -d '${description.replaceAll("'", '')}'`,
      ...values.map((value) => `${start} -f -a ${value}`),
      ...flags.map((flag) => `${start} -l ${flag.slice(2)}`),
    ]
  })
  return `# Completion of modelrun for fish.\n${lines.join('\n')}\n`
}
