import { Argument, Command } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { EXIT } from '../exit-codes.ts'

const DETAILS = `
Install it:
  bash   echo 'source <(modelrun completion bash)' >> ~/.bashrc
  zsh    echo 'source <(modelrun completion zsh)' >> ~/.zshrc
  fish   modelrun completion fish > ~/.config/fish/completions/modelrun.fish`

/** `modelrun completion` */
export function createCompletionCommand(context: CliContext): Command {
  const command = new Command('completion')
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', DETAILS)
  return command.action(
    actionOf(context, async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('./completion-script.ts')
      // The program is there when its commands run.
      if (command.parent) context.terminal.write(completionScript(shell, command.parent))
      return EXIT.done
    }),
  )
}
